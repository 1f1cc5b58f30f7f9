"""How good a model is: graphs against their checkpoint, another bundle or a goal in; differences and scores out.

parity.py     each stage of a build against the stage before
accuracy/     one bundle against another or its checkpoint, by layer and by token
divergence/   the first node at which two runs differ
goal/         the smallest mix of quantization methods that meets a goal
"""
