"""The words of the demo web, written down for it: plain English, chosen so that few rules make all their forms.

Nouns have regular plurals, verbs regular past tenses (or theirs behind a colon), and the first letter of an adjective
tells whether "a" or "an" goes before it. Words that come first are used more often.
"""

from __future__ import annotations

PEOPLE = """
farmer teacher merchant sailor gardener baker doctor painter carpenter librarian captain neighbour engineer poet clerk
student miller weaver potter tailor driver singer soldier visitor writer editor printer builder lawyer nurse cook
accountant acrobat actor admiral adviser ambassador apprentice archaeologist archer architect archivist artist
astronomer athlete aunt author banker barber baron beekeeper biologist bishop blacksmith boatbuilder bookbinder
bookseller botanist brewer bricklayer broker brother butcher butler cabinetmaker caretaker carter cartographer cashier
chandler cheesemaker chemist choirmaster clockmaker coach coachbuilder cobbler collector colonel commander composer
conductor confectioner consul contractor cooper councillor courier cousin critic curator customer dancer daughter dealer
dentist designer detective diplomat director diver dramatist dressmaker drummer duke electrician emperor engraver
examiner explorer farrier fiddler filmmaker fisher florist forester friend fruiterer furrier gamekeeper gatekeeper
general geologist gilder glassblower glazier goldsmith governor grandfather grandmother grocer guard guide harbourmaster
harpist hatter herbalist historian hunter illustrator innkeeper inspector inventor ironmonger janitor jeweller joiner
journalist judge juggler keeper knight labourer lacemaker landlady landlord lecturer lifeguard linguist locksmith
machinist magician magistrate mapmaker mariner mason mathematician mayor mechanic messenger metalworker milliner miner
minister missionary monk musician nephew niece novelist nun officer optician orchardist organist orphan papermaker
passenger pastor patient peddler pensioner pharmacist philosopher photographer physician physicist pianist pilgrim pilot
pirate player plumber porter postmaster prince princess prisoner producer professor prospector publisher puppeteer
ranger recruit refugee reporter researcher restorer rider ropemaker saddler scholar schoolteacher scientist scout scribe
sculptor secretary sergeant servant shepherd sheriff shipbuilder shipwright shoemaker shopkeeper signaller sister
smuggler spinner stonecutter stranger surgeon surveyor swimmer tanner technician tenant thatcher tinker tobacconist
tourist toymaker trader translator traveller treasurer trumpeter tutor typist uncle upholsterer usher veteran vicar
villager vintner violinist volunteer waiter waitress warden watchmaker welder wheelwright widow winemaker witness
woodcarver woodcutter zoologist protégée fiancée
"""

THINGS = """
lamp letter book table chair window door clock boat bridge basket bottle map picture garment wheel bell cart lantern
ladder kettle mirror blanket coin drum engine fence violin hammer ribbon apple loaf coat accordion album almanac anchor
antenna anvil apron armchair arrow atlas axle badge bagpipe balcony ballot balloon bandage banjo banknote banner
barometer barrel bathtub battery beacon beaker bearing bedspread bench bicycle binder biscuit blackboard blade blueprint
bobbin boiler bolt bonnet bookcase boot bowl bracelet brick broom brooch brush bucket buckle bugle bullet bundle buoy
button cabinet cable cage calendar camera candle candlestick cannon canoe canvas cape caravan card carpet carriage
carton cartridge casket casserole catalogue cauldron cello certificate chain chalkboard chandelier chart chest chimney
chisel chocolate cigar cloak coffin collar column comb compass contract cookbook corkscrew costume cradle crane crate
crayon crown crystal cup cupboard curtain cushion cutter cymbal dagger deckchair desk dial diamond diary dictionary
dinghy diploma document doorbell dowel drawer drawing dress drill easel embroidery emerald encyclopedia envelope essay
faucet feather ferry fiddle figurine film filter fireplace flag flask flute folder forge fork fountain frame freezer
funnel furnace gadget gauge gear gem gift girdle glove goblet gong gramophone granite grater grenade grindstone guitar
gutter hairbrush hammock handbag handle harness harp harpoon harvester hat hatchet headline headstone heater helmet
hinge hook horn horseshoe hourglass icebox inkwell instrument invoice iron ivory jacket jar jewel jigsaw jug kayak
keyboard kite lacquer lathe lawnmower leaflet ledger lemon lens lever licence limerick locket locomotive loom lute
magazine magnet mallet manuscript marble mask mast matchbox mattress medal medallion megaphone memoir menu meter
microphone microscope millstone mitten model mosaic motor motorcycle mousetrap muffin mural napkin necklace needle
newspaper nightgown notebook oar oboe omelette orange orchid organ ornament oven overcoat paddle padlock pail paintbrush
painting pamphlet pan pancake panel parachute parasol parcel parchment passport pastry peach pearl pebble pedal pen
pencil pendant pendulum perfume petition photograph piano pickaxe pie pill pillow pin pipe piston pitcher plank plate
platter plough plum pocket poem pole porcelain portrait postcard poster pouch prescription pretzel prism pudding pulley
pump pumpkin puppet purse puzzle quill quilt racket radiator radio raft railing rake raincoat razor receipt recipe
record reel refrigerator robe rocket roof rope rosary rowboat rudder rug ruler sack saddle sail sandal sandwich sapphire
satchel sausage saw saxophone scabbard scale scarecrow sceptre schedule scooter score screen screw script scroll
sculpture scythe seal seed shawl sheet shield shirt shovel shutter sickle signpost skirt sled sleigh slipper snowplough
soap sock sofa song souvenir spade spear spectacle spindle spoon spring stamp staple statue steamer stencil stepladder
stethoscope stirrup stocking stool stove strap suitcase sundial sweater sword syringe tablecloth tablet tambourine
tankard tapestry tart teacup teapot telegram telegraph telephone telescope tent thermometer thimble throne thread ticket
tile timetable toaster toboggan tool topcoat torch towel tower toy tractor trailer tray treadmill treaty trellis
tricycle tripod trombone trophy trousseau trumpet trunk tuba tunic turbine turnip typewriter umbrella urn utensil valve
vase vault veil velvet vest wagon waistcoat wallet wardrobe washtub wheelbarrow whip whistle whetstone wick wig windmill
wreath wrench xylophone yacht zither crêpe soufflé négligée
"""

PLACES = """
harbour market village river garden mill station school library forest meadow castle church square valley island farm
academy airport alley apartment aqueduct arcade archipelago arena armoury arsenal attic avenue backyard bakery bank barn
barrack bathhouse bay bazaar beach bookshop boulevard brewery brickyard cabin café camp canal canteen canyon capital
casino cathedral cave cellar cemetery chapel cinema clearing cliff clinic cloister coast college convent corner corridor
cottage courthouse courtyard cove creamery creek crossing crossroad customhouse dairy dam depot desert distillery
district dockyard dormitory dune embassy estate estuary exchange factory fairground fjord foothill ford forecourt
fortress foundry frontier gallery garage gate gateway glacier gorge grange granary graveyard greenhouse grocery grotto
gymnasium hall hamlet hayloft headland hedgerow hill hilltop hospital hotel inlet inn jetty junction kitchen laboratory
lagoon lake landing lighthouse lodge manor mansion marina marsh marshland mine minster monastery monument moor mountain
museum nursery oasis observatory office orchard outpost palace parish park parlour parsonage pass pasture pavilion
peninsula pharmacy pier plain plantation plateau playground plaza pond port prairie prison promenade quarry quay
racecourse railway ranch rapid reef refinery reservoir residence restaurant ridge roadside rooftop ruin sanctuary
savanna sawmill schoolyard seaport seaside settlement shed shipyard shop shore shrine slope smithy spa stable stadium
staircase storehouse strait street studio suburb summit swamp tannery tavern temple terminal terrace theatre tollgate
town treasury tunnel university viaduct vicarage villa vineyard volcano warehouse waterfall waterfront watermill
waterway wharf wilderness winery woodland workshop zoo façade château
"""

TOPICS = """
trade weather patience music history bread justice travel coffee friendship courage astronomy geometry poetry money
farming fishing sailing shipping politics medicine education navigation architecture archaeology arithmetic athletics
baking bankruptcy beekeeping biology botany brewing butter carpentry charity cheese chemistry chess childhood clay
clothing coal commerce competition confidence cooking copper cotton credit cricket curiosity dancing debt democracy
discipline drainage drought economy electricity emigration engraving ethics fashion fertilizer firewood flooding
folklore forestry freedom furniture gardening gossip grammar gravity hardship harvest health heating heraldry
hospitality housing humour hunger hygiene ice immigration independence industry inflation insurance irrigation jealousy
journalism knowledge labour leadership leather leisure lightning literature livestock logic loneliness luck luggage
machinery marriage masonry mathematics melancholy memory milk mining modesty mythology needlework noise nutrition
obedience opera optics painting paper parenthood philosophy photography pollution pottery poverty printing privacy
propaganda prosperity punctuality quarantine rainfall religion rent retirement rhetoric safety salt sanitation science
sculpture shipbuilding silence silk sleep smuggling snowfall soil solitude spelling sport steel strategy sugar
superstition surgery taxation tea theology timber tobacco tourism tradition traffic transport treason unemployment
vanity vegetables victory warfare weaving wheat wildlife winter wisdom wool zoology naïveté
"""

PERSONAL = """
old young honest famous lonely cheerful clever stubborn quiet tired brave elderly friendly curious patient wealthy
absent agreeable ambitious amiable amused angry anxious ardent arrogant astonished attentive awkward bashful bearded
bewildered blind boastful bold bored brilliant broad busy calm candid careless cautious charitable charming chatty
clumsy compassionate conceited considerate contented courteous cowardly crafty cranky cruel cunning daring deaf decent
defiant delighted desperate devoted devout dignified diligent disappointed discreet dishonest disobedient dreamy drowsy
eager earnest easygoing eccentric efficient elegant eloquent embarrassed energetic envious excited experienced faithful
fearful fearless fierce flattered foolish forgetful forgiving frail frank frightened frugal furious fussy gallant
generous gentle gifted gloomy graceful grateful greedy gruff grumpy guilty handsome happy hardworking hasty haughty
hesitant homesick hopeful humble hungry idle ill impatient impolite inattentive independent indignant industrious
innocent inquisitive insolent intelligent jealous jolly jovial joyful kind lame lanky lazy lenient literate loyal lucky
mean meek melancholy merciful merry mischievous miserable modest moody muscular mysterious naïve nervous nimble nosy
obedient obstinate optimistic outspoken passionate penniless pensive persistent pious plump poetic polite pompous
popular practical prosperous proud prudent punctual puzzled reckless reluctant resolute respected restless retired
romantic ruthless scrupulous secretive selfish sensible sentimental serious severe shabby shrewd shy silent sincere
skilful sleepy slender sly sober sociable solemn spiteful stern stingy stout strict sulky superstitious suspicious
sympathetic tactful talented talkative temperamental thankful thin thirsty thoughtful thrifty timid tolerant trusting
truthful ungrateful unhappy unlucky upright vain vigilant warmhearted wary weary widowed wise witty worried youthful
zealous
"""

ADJECTIVES = """
small large old new red blue green white black narrow wooden bright heavy empty broken clean cold warm quiet modern
abandoned ancient antique artificial azure bare beautiful beloved blackened bleak borrowed brass brittle bronze brown
bulky bumpy burnt charming cheap chilly chipped circular classic clear coarse colossal colourful comfortable common
compact concrete copper costly cosy covered cracked cramped creaky crimson crooked crowded crude curious curved damaged
damp dark decorated deep delicate dented deserted detailed dim dingy dirty distant domed double drab dreary dry dull
durable dusty eastern elaborate elegant enchanted engraved enormous exotic expensive exquisite fabulous faded faint fake
familiar famous fancy fashionable festive filthy fine firm flat flawless flimsy floral folded forgotten foreign fragile
fragrant fresh frosty frozen fruitful furnished fuzzy gaudy genuine ghostly giant gigantic gilded glamorous gleaming
glittering gloomy glossy golden gorgeous gothic graceful grand greasy grey grim grimy guarded handmade handsome handy
hard haunted hazy hexagonal hidden high historic hollow homely horizontal hot huge humble icy identical immaculate
immense imperial imported impressive inexpensive infamous inland inner insulated intact intricate inviting ivory jagged
jewelled juicy knitted knotted lacquered lavish leafy leaky leather legendary lengthy light lined little lively lofty
long loose lopsided lost lovely low luminous lush luxurious magnificent majestic marble massive matching mediocre
medieval mellow melted memorable mended metal metallic mighty mild miniature misty monumental mossy mouldy muddy murky
musty muted mysterious nameless neat neglected neighbouring noble noisy northern notorious oaken oblong obscure obsolete
octagonal odd oily orange ordinary original ornate outdated oval overgrown painted pale panelled paved peaceful peculiar
perfect picturesque pink pitted plain plastic pleasant pointed polished poor popular portable precious pretty prickly
primitive priceless prized provincial purple quaint quilted radiant rainy ramshackle rare rectangular reliable remote
renowned repaired restored rich rickety robust rocky roomy rotten rough round royal ruined rural rusty sacred sandy
scarlet scented scratched secluded secret shabby shady shallow sharp shiny silken silver simple sinister sleek slippery
smoky smooth snowy soaked soft solid sombre southern spacious sparkling splendid spotless square stained stately
steaming steel steep sticky stiff stone stormy straight strange striped strong sturdy stunning sumptuous sunken sunny
superb supple swollen symmetrical tall tarnished tasteless tasty tattered temporary thatched thick thorny threadbare
tidy tight tilted tiny torn towering traditional tranquil transparent treasured triangular tropical twisted ugly
unfinished unknown untidy unusual useless vacant valuable varnished vast velvety venerable vertical vibrant vintage
violet visible vivid walled waterproof wealthy weathered western wet wide wild windy winding wobbly wonderful woollen
worn worthless woven wretched yellow zigzag
"""

MAKING = """
repair paint carry sell:sold clean move borrow collect deliver measure draw:drew copy open polish study examine mend
order abandon accept acquire adapt adjust admire adore advertise alter analyse anchor announce appraise appreciate
arrange assemble assess attach auction await balance banish bless burn bury buy:bought calibrate calculate carve
catalogue celebrate challenge charter choose:chose circulate claim classify cleanse close combine compare complete
compose conceal confiscate connect conserve consider construct consult consume convert correct cover crack craft crush
customise damage decorate dedicate demand demolish deposit describe design desire despise destroy detach detect develop
devour dig:dug dismantle display distribute divide donate dust embroider empty enamel:enamelled encounter engrave enjoy
enlarge envy erect evaluate exchange exhibit expect explore expose fasten fetch fill film finance find:found finish fix
flatten fold follow forge forget:forgot furnish gather gild glaze grease guard hammer handle harvest hide:hid hire hoist
ignore illuminate illustrate imagine imitate import improve inherit insert inspect install insure invent investigate
invoice join keep:kept label:labelled lease leave:left lend:lent lift light:lit load locate lose:lost love lower
make:made manufacture mark market melt memorise misplace mock modernise monitor mortgage mould mount need neglect notice
nurse obtain offer oil operate organise overhaul overlook own pack park patch pawn perfect photograph pile place plant
plaster plunder position postpone praise prepare present preserve print prize produce promote propose protect prove
publish pull purchase push raffle raise rebuild:rebuilt recognise recommend record recover recycle redesign reduce
refuse reject release remember remove rename rent replace replicate report request rescue research reserve restore
retain retrieve return reveal review roll rotate ruin salvage sample save scatter scold scratch scrub:scrubbed sculpt
search secure seek:sought seize select send:sent separate serve sew:sewed shake:shook shape share sharpen shelter shift
show:showed sketch smash smuggle soak spoil spray squeeze stack stain stamp steal:stole stitch store straighten
strengthen stretch surround survey surrender suspend sweep:swept swallow tackle tarnish taste tear:tore test throw:threw
tidy tighten tolerate touch trace trade transform translate transport trust twist uncover underestimate unearth unfold
unload unlock unpack untangle unveil upgrade use vacate value varnish view visit warm wash waste watch water wax weaken
weigh welcome weld whitewash widen wipe withhold:withheld worship:worshipped wreck
"""

MEETING = """
thank meet:met warn visit follow help teach:taught invite answer praise advise accompany accuse admire amuse annoy anger
applaud appoint arrest assist astonish attack avoid bewilder blackmail blame bless bother bribe calm challenge charm
cheat cheer comfort command confront congratulate console contradict convince correct criticise deceive defeat defend
delight denounce disappoint disobey disturb doubt embarrass employ encourage endanger entertain envy escort evade
exhaust expel:expelled fascinate fear feed:fed fight:fought fire flatter forgive:forgave frighten frustrate greet guide
hail haunt hear:heard heed hire honour humiliate imitate impress imprison influence inform inspire instruct insult
interrupt interview introduce irritate join judge kiss lecture lead:led leave:left marry misjudge mislead:misled mock
need nominate notice notify obey offend outlive outwit:outwitted overhear:overheard overtake:overtook pacify pardon
persuade pester pity please promote protect provoke punish pursue question reassure recognise recommend remember remind
replace reproach rescue resemble respect reward ridicule ruin salute scare scold serve shelter shock startle summon
supervise support surprise suspect sustain telephone tease tempt threaten toast torment train trick trouble trust tutor
understand:understood unsettle upset:upset watch welcome worry
"""

MOVING = """
wait travel:travelled work rest arrive sing:sang stay sleep:slept walk hurry remain wander laugh listen argue climb
dance apologise appear assemble awake:awoke bathe behave blush boast bow breathe camp celebrate chatter cheer collapse
commute complain compete cough cower crawl cry daydream depart descend dine disagree disappear dismount doze dream drift
dwell:dwelt embark emerge escape exercise faint fall:fell farm fish flee:fled flourish frown gamble gather gaze giggle
glide gossip grieve groan grumble hesitate hide:hid hike improvise journey joke jump kneel:knelt labour land leap:leapt
linger loiter lurk march meditate meet:met mourn mumble mutter nod:nodded paddle parade pause perform perish
picnic:picnicked play plead ponder pray preach prosper protest quarrel:quarrelled race reappear recite recover
recuperate rehearse rejoice relax resign retire retreat return ride:rode roam row rush sail scream settle shelter shiver
shout sigh skate sketch ski:skied smile smoke sneeze snore sob:sobbed speak:spoke stagger stand:stood stare starve
struggle stumble succeed suffer sunbathe surrender swim:swam talk toil tremble vanish volunteer wade weep:wept whisper
whistle worship:worshipped yawn yell
"""

MANNER = """
quietly slowly carefully often gladly quickly secretly proudly suddenly abruptly absently accidentally angrily anxiously
awkwardly badly blindly boldly bravely briefly brightly briskly calmly carelessly casually cautiously cheaply cheerfully
clearly cleverly clumsily coldly constantly courteously daily deliberately delicately desperately devoutly diligently
discreetly eagerly earnestly easily elegantly endlessly eventually expertly faithfully ferociously firmly fondly
foolishly formally frankly freely frequently furiously generously gently gracefully gradually gratefully greedily grimly
grudgingly happily hastily heavily helpfully hesitantly honestly hourly humbly hurriedly idly immediately impatiently
indignantly inexpertly innocently instantly intently joyfully keenly kindly lazily lightly lovingly loudly loyally
meekly mercilessly merrily methodically mildly monthly mysteriously neatly nervously nightly nimbly noisily obediently
occasionally officially openly painfully patiently peacefully perfectly persistently personally playfully politely
poorly positively powerfully privately promptly publicly punctually rapidly readily recklessly regularly reluctantly
repeatedly resentfully respectfully ruthlessly sadly selfishly seriously shamelessly sharply shyly silently simply
sincerely skilfully sleepily smoothly solemnly sometimes steadily sternly stubbornly successfully suspiciously swiftly
tactfully tenderly thoroughly thoughtfully tirelessly triumphantly unexpectedly unhappily unwillingly usually vainly
vigorously wearily weekly wildly willingly wisely wistfully yearly
"""

SPEECH = """
said believed claimed knew argued explained wrote thought promised admitted agreed announced complained confessed
decided declared denied doubted dreamed estimated feared forgot guessed heard hinted hoped imagined insisted joked
learned maintained mentioned noticed predicted pretended proved realised recalled remarked remembered repeated replied
reported revealed shouted suggested supposed suspected swore understood warned whispered
"""

CONJUNCTIONS = """
while because although and but so when after before until since whereas unless though once
"""

PREPOSITIONS = """
near behind beside in at from above below beyond across around past through inside outside under along opposite against
over toward by within
"""

GIVEN = """
Anna John Mary Peter Clara Henry Alice Thomas Martha George Emma Walter Rosa Arthur Edith Samuel Helen Oscar Ada Agnes
Albert Amelia Andrew Arnold Barbara Beatrice Benjamin Bertha Bridget Bruno Carl Caroline Cecil Charlotte Christopher
Conrad Cora Cyril Daisy Daniel David Dora Dorothy Douglas Edgar Edmund Edward Eleanor Elias Eliza Elmer Elsie Ernest
Esther Eugene Eva Felix Fergus Fiona Flora Florence Francis Frank Frederick Gerald Gertrude Gilbert Grace Gregory Greta
Gustav Hannah Harold Harriet Hazel Hector Herbert Hilda Homer Horace Hubert Hugh Ida Ingrid Irene Iris Isaac Isabel Ivan
Ivy Jack Jacob James Jane Jasper Jennifer Jerome Joan Joseph Josephine Judith Julia Julian Karen Katherine Kenneth Laura
Laurence Lena Leo Leonard Leopold Lillian Linda Louis Louisa Lucy Luther Mabel Magnus Margaret Marianne Mark Martin
Matilda Matthew Maurice Michael Mildred Miles Minna Miriam Moritz Nathan Nelly Nicholas Nina Nora Norman Olga Olive
Oliver Otto Owen Pamela Patricia Patrick Paul Paula Pauline Philip Phyllis Priscilla Rachel Ralph Raymond Rebecca
Reginald Richard Robert Roland Rosalind Rudolf Rufus Ruth Sarah Sebastian Selma Sidney Sigrid Simon Sophia Stanley
Stella Stephen Susan Sylvia Theodor Theresa Timothy Tobias Ursula Valentine Vera Vernon Victor Vincent Viola Violet
Vivian Wallace Wilfred Wilhelmina William Winifred Yvonne Zoë Renée André Jürgen Søren Chloë José Inès
"""

NAME_BEGINNINGS = """
Ash Black Brad Bright Brook Burn Car Clay Clif Cold Cole Cran Crom Dal Dun East Ell Fair Far Fern Gar Gold Gran Green
Had Hale Hart Hazel Hether High Hol Horn Kel Kings Lam Lang Law Lin Little Long Lyn Mal Mar Mel Mid Mill Monk Moor
Nether New Nor Oak Old Or Park Pem Quarn Raven Red Rock Rose Row Sand Shel Silver South Stan Stock Stone Sun Swan Tam
Thorn Til Under Up Wake Wal War Water Wel West Whit Wild Win Wood Wor Yar
"""

SURNAME_ENDINGS = """
bert by croft den der ers ett field ford gate kin land ler ley low man mer more nell ney out ridge ron row sey son ston
ter ting ward well wick win worth
"""

TOWN_ENDINGS = """
borough bourne bridge brook burgh bury chester cliffe combe dale dean fell ferry ham haven hill holm hurst lake leigh
mead minster mouth pool port sea shaw side stead stoke thorpe ton vale wich wold
"""

ABOUT = """
discussed studied taught feared preferred debated praised mentioned discovered distrusted loved hated understood forgot
remembered ignored criticised celebrated encouraged explained neglected admired despised enjoyed practised improved
"""

TOWNWARD = """
in near from outside around beyond past at through above below opposite
"""

MATERIALS = """
copper wooden silver cotton leather paper glass iron woollen brass linen stone velvet silk bamboo bronze steel golden
clay canvas rubber wicker oak pine tin amber ebony felt satin walnut ivory cork porcelain marble plastic nylon denim
lace flannel granite mahogany pewter
"""
