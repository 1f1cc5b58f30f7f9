"""Graph inputs and outputs in, one cache out: which slot each token's keys and values have.

TensorSpecs ──geometry──▶ StateTensors ──cache──▶ KVCache ──plan──▶ Step ──(run)──▶ commit
                                                    │
                            layouts decide ─────────┘ where a token goes; everything else derives from the table
"""

from workflows.kvcache.cache import KVCache
from workflows.kvcache.geometry import StateTensor, find_state
from workflows.kvcache.layouts import LAYOUTS, Layout
from workflows.kvcache.step import CacheGroup, Step

__all__ = ["LAYOUTS", "CacheGroup", "KVCache", "Layout", "StateTensor", "Step", "find_state"]
