"""What a person sees without a browser."""
