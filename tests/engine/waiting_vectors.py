"""The vectors no test exercises yet, by what they wait for; the only such list.

`test_vectors_complete.py` sees to it that it can only shrink: whoever tests a vector must take it
off here, and nothing may be put here that a test exercises.
"""

WAITING = {
    "networks": """
        s3-graph-degree-attack s3-kneighbourhood-fixture
    """,
    "private answers": """
        s0-partial-sum-sensitivity s0-laplace-scale s0-adjacent-pair s1-mean-3300
        s1-laplace-5-6 s1-laplace-shift-property s1-laplace-pdf
        s1-eps-delta-b s1-mean-sensitivity-S5 s1-mean-sensitivity-S1e6
        s1-mean-sensitivity-noS s1-mean-sensitivity-proof s1-truncated-mean
        s1-truncated-mean-outlier s1-compose-5-means s1-histogram s1-dp-histogram
        s1-hist-mean s1-true-mean-16 s1-dp-hist-mean s1-rosenbrock
        s2-laplace-variance s2-sens-count s2-sens-hist-2
        s2-sens-mean s2-sens-median s2-apples s2-expmech-utility-nationality
        s2-expmech-utility-eyecolor s2-expmech-prob95 s2-expmech-probabilities
        s2-eps-choices s3-sens-romance s3-sens-two-counts s3-sens-three-counts
        s3-sens-hist-1 s3-sens-starwars s3-sens-three-seq-2 s4-dp-sum-realestate
        s4-dp-eps-values
    """,
}
