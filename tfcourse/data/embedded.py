"""The embedded corpora's counts, bytes and hashes.

:func:`measured` finds them out; a test holds the two together.
"""

from __future__ import annotations

import hashlib
from typing import Any

#: For each corpus the bytes of all its splits as JSON, and each split's examples and hash.
FACTS: dict[str, dict[str, Any]] = {
    "agreement": {
        "bytes": 5_738_945,
        "splits": {
            "train": (20_000, "e962f1ccc1becddaceb0d4c34d3782acddb2c7262c100fc6790b2f698c1c2532"),
            "validation": (
                2_000,
                "08b9e941aebfc32c492de80793432f7bbcc41841188452ee8ad10790f60e9a8d",
            ),
            "test": (2_000, "ba51212ca549ad81e17d1f4db370d577797be3141ad2049f5cb42f77c53b6658"),
            "test-deeper": (
                2_000,
                "a29d969556de59eba34f701f2e0bb3ba7046c90d4a4c4852fd2570b04bb2cddc",
            ),
            "test-nouns": (
                2_000,
                "948cfa36e23f8ff44f460305c31b152fd221469a6a456758435c645fa2655444",
            ),
        },
    },
    "arrows": {
        "bytes": 28_530_000,
        "splits": {
            "train": (16_000, "aaaacd90a44fc0876849de2f3de712070efa837164229d86a4b7987c5bf3e9ba"),
            "validation": (
                1_000,
                "2f6f2fa4a7fd7d693d5641f1e7170697a563460e93539f84c28a13b831913819",
            ),
            "test": (1_000, "a28bd8e9db0639943252b7ebf4c71f871d35843c9ac1e29ada9aa83fce160635"),
        },
    },
    "dates": {
        "bytes": 418_727,
        "splits": {
            "train": (10_000, "150e525bb124032e63ec4a56c60b807ba1d327c97d4d42730272e29eb193de38"),
            "validation": (
                1_000,
                "c2e4b9bf1e7948779b166f012bb1e185b36b5e41319cec9ae7c05668677c4b7f",
            ),
            "test": (1_000, "792360756a5187f5ee41fad75d4e6e8e49b3f5dc414015349304b9722c320b89"),
        },
    },
    "digits": {
        "bytes": 256_971,
        "splits": {
            "train": (1_297, "61ce3544cbc845b6482920f3c5f4652782b667c23d03e349155909bf01f463c3"),
            "validation": (200, "888edb96b71eb619bd7f6e0ed9d60a12e72a8701221bfdc7255ba30d91a20642"),
            "test": (300, "94ee5b46420baa57e9eaf62db276a5def7b6f0c4caf1e4f4456f817ee2f8db6e"),
        },
    },
    "documents": {
        "bytes": 1_115_962,
        "splits": {
            "train": (1_896, "af2fab2d4abc682fdd722b884cf29637ea5675c4fcaea278e5dd70e606a42ff7"),
            "validation": (366, "1c60924d50b12c44df7beb60bca4ef924b365b84d5e9547edb3439908fcc034b"),
            "test": (336, "558080c9ad5553cb8f3b2c9adc284a054273d5b1b320edebd6d865dc4f20c63c"),
        },
    },
    "number-words": {
        "bytes": 2_209_883,
        "splits": {
            "train": (20_000, "fe8d7fec94e8febb7f3d2b3f625d0d09a286d0c48fefdf288a34e7cfa4023cce"),
            "validation": (
                1_000,
                "a83c41421a1f5e551703a2872f1a7295c85d865f5f17321be047236d70d1cc87",
            ),
            "test": (1_000, "1c682597e5922a1b7edb25ef894565218a0c82418a01b793517b8654a5c6e52d"),
        },
    },
    "opinions": {
        "bytes": 415_378,
        "splits": {
            "train": (2_000, "9ae2ef997f8f78890d76d787bef11a65abd7b5cd56276c81466bf12fd3bcfbcc"),
            "validation": (500, "351e3638d185a31a347c19cf5097cb3eca1434b48b1ec6dea0a9eaa8ba0da8be"),
            "test": (500, "11d5754f5e611e72245006f80053b10093e6d69f990f829f813ba8ebf56d1cb3"),
        },
    },
    "prose": {
        "bytes": 3_931_109,
        "splits": {
            "train": (40_173, "507114b246f554e28aa593a6649bc029e74100f128d867c4da12382a805bc226"),
            "validation": (
                4_080,
                "feed6babd658d12e071dafe5b02c5a02df77b714f56a91e94d08649064a4c7c3",
            ),
            "test": (5_533, "e7142c322582743c2abf01a5f94911ea1febe53c63901bb5233374d226767204"),
        },
    },
    "recall": {
        "bytes": 1_500_000,
        "splits": {
            "train": (10_000, "00d153e820bb374be1845ffff16dc475537e421edba2b9868d6493b682a4601e"),
            "validation": (
                1_000,
                "76840ee94376c455136e87df64d91864c3ccdb94afd775a89c6739df3d3db7d5",
            ),
            "test": (1_000, "66f5abb6bbb8995d2b73c661175f45a94535475e4cb55fca620130ae6c6ff177"),
        },
    },
    "senses": {
        "bytes": 697_727,
        "splits": {
            "train": (6_000, "13c2732a9ed0efdae78b3fcbd336d7c7db9699ce843c259182b0dbdb39f773d2"),
            "validation": (600, "5478a450f19684a2e1314980a4c7bfa1fe839fc68b5e2f2f337d8aca6d034c75"),
            "test": (600, "171587d51827a389c88ee4250587f6f058b141de8df2b403173e691a8e1792a5"),
            "test-templates": (
                600,
                "e59651110bb73857a0444c769d5778dea58b6a9fdade7f725c791385ea3e6ce4",
            ),
        },
    },
    "two-lookups": {
        "bytes": 1_224_000,
        "splits": {
            "train": (20_000, "2730cba06faf8f3d1daa3fd8443273f21ae110a529d9f886aa87bed9d3c914f8"),
            "validation": (
                2_000,
                "2d181dcb546ac342623fb060e1169152d5ed4d2bd60f9e2d4f53d762132ce30c",
            ),
            "test": (2_000, "56a38801a7f415d0d285050457cef6b6c4ea4926893139500bfc4aa1908f4caa"),
        },
    },
}


def facts(name: str) -> dict[str, Any]:
    """What a card says of an embedded corpus: ``splits``, ``size_bytes`` and ``sha256``."""
    found = FACTS[name]
    return {
        "size_bytes": found["bytes"],
        "splits": {split: count for split, (count, _) in found["splits"].items()},
        "sha256": {split: digest for split, (_, digest) in found["splits"].items()},
    }


def measured(name: str) -> dict[str, Any]:
    """An entry of :data:`FACTS`, computed again: to be used after an update of a package.

    Parameters
    ----------
    name:
        An embedded corpus.

    Returns
    -------
    entry
        ``{"bytes": ..., "splits": {split: (examples, sha256)}}``, with the options' defaults.

    Raises
    ------
    ValueError
        If there is no corpus of this name.
    """
    from tfcourse.data.corpus import info, load

    size, splits = 0, {}
    for split in info(name).splits:
        corpus = load(name, split)
        digest = hashlib.sha256()
        for line in corpus.lines():
            size += len(line)
            digest.update(line.encode())
        splits[split] = (len(corpus), digest.hexdigest())
    return {"bytes": size, "splits": splits}
