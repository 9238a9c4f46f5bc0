"""Words of English for webs that people read (`words=english`): eight families of three topics, and what all share.

The first word of a topic is its name, the first five are its keywords. All are nouns in the plural or without one, so
that any of them fits into any sentence of `english`.
"""

from __future__ import annotations

# Of each family: words of all its topics, then the words of each topic, the most frequent first.
_FAMILIES = """
* animals habitats meadows forests seasons nests legs eyes species naturalists hedges gardens young dusk dawn
* bees honey hives nectar pollen beekeepers queens swarms combs drones workers blossoms wax smokers clover frames
  broods stings extractors foragers bumblebees mites colonies apiaries heather entrances waggle-dances lime-trees
  royal-jelly winter-clusters
* spiders silk webs burrows prey venom fangs spiderlings hunters ambushes threads spinnerets jumps crickets
  trapdoors hairs palps moults vibrations abdomens egg-sacs orb-weavers wolf-spiders hiding-places night-hunts
  ground-hunters drag-lines leaf-litter courtship-dances eight-legs
* owls feathers talons hoots mice pellets owlets barns hearing voles perches wings darkness branches calls moonlight
  shrews beaks territories ringing silent-flights hollow-trees facial-discs barn-owls tawny-owls nest-boxes
  ear-tufts snowy-owls hunting-grounds church-towers

* kitchens recipes flavours ovens tables cooks markets cellars bowls tastes guests breakfasts families salt warmth
* bread flour yeast dough loaves sourdough crusts bakers kneading rye crumbs starters wheat rising millers bakeries
  baguettes wholemeal steam fermentation hydration seeds rolls spelt scoring gluten buns baking-stones
  proving-baskets stone-ovens
* cheese milk rennet curds rinds whey dairies goats ripening cheesemakers wheels moulds cheddar brine cows sheep
  butterfat gruyere camembert presses churns cultures caves slices fondue parmesan cream holes blue-veins
  alpine-pastures
* coffee beans roasting espresso cups grinders filters baristas caffeine aroma cafes plantations arabica crema
  brewing cappuccinos harvests roasters kettles blends cherries tampers robusta acidity mugs growers lattes grounds
  pour-overs moka-pots

* skies heights horizons nights observers seasons instruments photographs records measurements light colours
  directions maps altitudes
* comets tails orbits telescopes nuclei dust ice meteors perihelion astronomers showers sun comas asteroids probes
  gas ellipses gravity halley apparitions discoveries brightness constellations ephemerides planets fireballs
  craters radiants returns solar-wind
* storms wind thunder lightning rain clouds hail hurricanes gusts forecasts barometers fronts tornadoes warnings
  floods meteorologists pressure squalls radar damage downpours cyclones surges shelters isobars blizzards gales
  humidity shutters rainfall
* auroras magnetism particles poles oxygen nitrogen arcs coronas ions magnetospheres lapland electrons flickering
  rays displays sunspots latitudes substorms tripods snow excitation cold reindeer northern-lights arctic-nights
  green-curtains solar-storms nordic-legends long-exposures field-lines

* coasts waves tides harbours islands sailors salt-water fog voyages depths gulls cliffs charts currents beaches
* lighthouses beams keepers lenses lamps towers rocks reefs shipwrecks beacons lanterns foghorns flashes lightships
  mariners signals eddystone bearings granite logbooks warnings headlands prisms automation gales paint
  fresnel-lenses spiral-stairs oil-lamps night-watches
* whales blubber flukes songs calves krill baleen pods breaching blowholes migration humpbacks sonar oceans echoes
  spouts squid whalers strandings barnacles fins dives plankton orcas hydrophones sanctuaries sperm-whales
  whale-watchers blue-whales tail-prints
* sailing sails masts keels ropes tacking crews rudders regattas hulls knots skippers halyards spinnakers dinghies
  jibes booms sheets yachts helms moorings cleats anchors decks buoys catamarans lines winches wind-angles
  life-jackets

* workshops tools hands crafts apprentices masters benches materials patience museums patterns fairs wood guilds
  repairs
* pottery clay glazes kilns wheels vases potters firing bowls stoneware porcelain slip shards teapots earthenware
  throwing handles raku tiles wedging biscuit celadon jars trimming mugs cones studios plates ash-glazes pinch-pots
* weaving looms yarn shuttles warps wefts cloth wool weavers tapestries threads dyes linen heddles spindles fringes
  rugs shafts treadles cotton selvedges twill spinning bobbins damask blankets reeds checks carpets textures
* clocks pendulums gears springs escapements dials clockmakers minutes hands chimes watches quartz weights bells
  winding hours mainsprings towers cuckoos pivots jewels alarms balances sundials chronometers ticking enamel cases
  repairs longcase-clocks

* players rules clubs winners training contests defeats teams courage strategy spectators seasons records champions
  practice
* chess pawns bishops checkmates openings knights rooks endgames grandmasters boards castling gambits queens
  sacrifices kings tournaments combinations blunders draws ranks diagonals problems squares clocks forks pins
  analysis moves ratings sicilian-defences
* football goals strikers referees goalkeepers penalties passes stadiums midfielders leagues fans corners dribbling
  crosses defenders cups offside shirts headers derbies coaches pitches tackles nets whistles transfers volleys
  balls kick-offs free-kicks
* climbing ropes cliffs belays harnesses handholds summits carabiners chalk routes boulders mountaineers crags
  grades ledges overhangs crampons peaks pitons abseils anchors cracks bivouacs knots slabs footholds glaciers
  helmets ascents ice-axes

* artists audiences galleries schools rehearsals emotions evenings applause studios critics beginners masterpieces
  lessons patrons festivals
* violins bows strings luthiers concertos spruce scrolls rosin fiddlers orchestras bridges stradivari pegs cellos
  sonatas varnish fingerboards maple tuning violas horsehair quartets vibrato melodies cremona soloists cadenzas
  scales chin-rests sound-posts
* theatre stages actors plays curtains scripts directors costumes comedies tragedies dialogues playwrights scenes
  props rehearsals masks monologues prompters footlights acts dramas wings troupes premieres roles scenery
  improvisation puppets tickets make-up
* painting brushes canvases oils pigments portraits landscapes easels watercolours frescoes sketches palettes
  perspectives impressionists varnish frames turpentine tempera shadows linseed primers glazes exhibitions
  ultramarine gilding brushstrokes murals restorers still-lifes self-portraits

* centuries kings ruins historians builders engineers stones archives labourers legends monuments excavations
  travellers ages inventions
* castles moats towers drawbridges knights sieges battlements keeps dungeons walls gatehouses lords armour
  portcullises banners catapults ramparts turrets halls baileys crossbows feasts mottes garrisons squires trebuchets
  courtyards heraldry jousts arrow-slits
* pyramids pharaohs tombs mummies hieroglyphs giza limestone egypt sphinxes nile priests sarcophagi ramps papyrus
  treasures desert obelisks curses dynasties cairo amulets temples scribes causeways robbers capstones sand
  burial-chambers step-pyramids canopic-jars
* locomotives boilers railways pistons tracks coal trains carriages stations drivers firemen whistles tunnels
  viaducts signals freight cylinders timetables sheds wheels couplings turntables sleepers junctions tenders
  platforms gauges steam-engines branch-lines narrow-gauge
"""
FAMILIES_IN_ENGLISH = [[part.split() for part in family.split("* ")[1:]] for family in _FAMILIES.split("\n\n")]
TOPICS_IN_ENGLISH = [words for family in FAMILIES_IN_ENGLISH for words in family[1:]]

EVERYDAY = """
people days years things places houses streets mornings stories friends roads towns children words books questions
letters weeks hours doors windows rooms chairs corners ideas reasons names numbers answers pictures papers
neighbours shops gardens rivers bridges trees hills fields stones trains bicycles journeys visitors summers winters
evenings meals teachers pupils offices meetings plans costs prices gifts bags boxes keys shoes coats hats gloves
mirrors candles lamps stairs roofs walls floors gates fences paths squares benches parks lakes villages cities
countries borders languages newspapers radios telephones machines wheels engines screws hammers nails ladders
buckets brooms carpets curtains cushions blankets pillows clocks calendars diaries pencils notebooks maps stamps
coins wallets tickets queues crowds voices songs jokes dreams memories habits hobbies holidays birthdays weddings
cousins uncles aunts grandparents babies doctors nurses farmers drivers tailors painters carpenters mechanics clerks
librarians lawyers judges mayors voters taxes laws rights duties votes speeches reports lists tables figures
examples mistakes surprises accidents delays repairs changes beginnings ends middles sides edges shapes sizes
weights lengths weather sunshine puddles snowflakes shadows smoke noise silence smells apples pears plums potatoes
carrots onions soup tea cakes biscuits jam plates spoons forks knives pots pans cups glasses bottles
"""
SECTIONS_OF_SITES = """
news guide notes archive letters people places basics history projects tips stories library reports events gallery
friends questions answers journal tours lists courses talks reviews features essays columns sketches diary maps
shelves corners visits interviews records collections findings chapters series workshop notebook calendar-notes
almanac bulletin digest register index reading pictures views comments mailbag topics themes threads leaflets
handbook manual primer lessons exercises examples cases studies papers sources links-page contacts members team
partners support shop tickets prices faq glossary press media films sound exhibits tours-guide favourites classics
debates opinions surveys numbers timelines portraits profiles anecdotes miscellany extras drafts clippings scraps
footnotes appendix
"""
FIRST_NAMES_OF_SITES = """
amber ancient autumn blue bold brave bright broad calm clear clever copper cosy crimson curious distant early
eastern elder emerald fair far fine first gentle golden good grand green grey happy hidden high honest humble ivory
jolly keen kind late little lively long lucky merry mild modest mossy narrow noble northern old open pale patient
plain proud quick quiet rosy royal rustic shady silver
"""
SECOND_NAMES_OF_SITES = """
acorn alder anchor anvil arch badger barley basket beacon beech birch bramble bridge brook candle cedar chestnut
compass cottage cove cricket dale elm falcon fern finch ford fountain fox garden gate glade grove hare harbour
hawthorn hazel heron hill inlet island kettle lantern larch lark linden maple marsh meadow mill moor oak orchard
otter pebble pine pond quarry raven reed river robin rowan sparrow
"""
