import numpy as np
_W={}
def weights_for(rules):
    if rules.name not in _W:
        w=np.load(f"/tmp/w_{rules.name}.npy"); w=w.copy(); w[28],w[29]=w[29],w[28]; _W[rules.name]=w
    return _W[rules.name]
