# right: three nested loops over numbers, softmax written out
def attention_loop(Q, K, V):
    T, S = len(Q), len(K)
    rows = []
    for i in range(T):
        scores = []
        for j in range(S):
            total = 0
            for c in range(Q.shape[1]):
                total = total + Q[i, c] * K[j, c]
            scores.append(total)
        largest = max(float(s) for s in scores)
        exps = [torch.exp(s - largest) for s in scores]
        weights = [e / sum(exps) for e in exps]
        output = torch.zeros_like(V[0])
        for j in range(S):
            output = output + weights[j] * V[j]
        rows.append(output)
    return torch.stack(rows)
