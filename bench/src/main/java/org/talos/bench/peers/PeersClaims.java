// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.Claim;

/** Makes the claims about Talos beside others, as far as both were measured. Immutable. */
final class PeersClaims {
    private static final double OF_KAFKA = 1.5;
    private static final double OF_KAFKA_SYNCED = 4;
    private static final double AHEAD = 1;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    private final PeersResults results;

    PeersClaims(PeersResults results) {
        this.results = results;
    }

    /** Under each load; under a pace nothing about rates, which are the same. */
    List<Claim> all() {
        List<Claim> claims = new ArrayList<>();
        for (Shape each : results.shapes()) {
            Against kafka = new Against(claims, PeerCase.FLUSH, PeerCase.KAFKA, each);
            kafka.rate(OF_KAFKA);
            kafka.costAndTail();
            new Against(claims, PeerCase.FSYNC, PeerCase.KAFKA_SYNCED, each).rate(OF_KAFKA_SYNCED);
            Against rocketMq = new Against(claims, PeerCase.FLUSH, PeerCase.ROCKETMQ, each);
            rocketMq.rate(AHEAD);
            rocketMq.costAndTail();
            Against synced = new Against(claims, PeerCase.FSYNC, PeerCase.ROCKETMQ_SYNCED, each);
            synced.rate(AHEAD);
            synced.costAndTail();
        }
        return claims;
    }

    /** Claims of one case beside another under one load; none if either was not measured. */
    private final class Against {
        private final List<Claim> claims;
        private final PeerCase one;
        private final PeerCase other;
        private final Shape shape;

        Against(List<Claim> claims, PeerCase one, PeerCase other, Shape shape) {
            this.claims = claims;
            this.one = one;
            this.other = other;
            this.shape = shape;
        }

        void rate(double least) {
            if (wereMeasured() && shape != Shape.PACED) {
                double measured = results.ratio(one, other, shape, PeersFigures::requestsPerSecond);
                claims.add(Claim.atLeast(text("requests a second"), "", measured, least));
            }
        }

        void costAndTail() {
            less("CPU a request", PeersFigures::cpuPerThousand);
            less("P99 of a put", each -> each.putMillisAt(P99));
            less("P999 of a put", each -> each.putMillisAt(P999));
            if (shape.hasGetters()) {
                less("P99 until got", each -> each.gotMillisAt(P99));
                less("P999 until got", each -> each.gotMillisAt(P999));
            }
        }

        private void less(String what, ToDoubleFunction<PeersFigures> figure) {
            if (wereMeasured()) {
                claims.add(Claim.atMost(text(what), "", results.ratio(one, other, shape, figure), AHEAD));
            }
        }

        private boolean wereMeasured() {
            return results.cases(shape).containsAll(List.of(one, other));
        }

        private String text(String what) {
            return one.label() + " : " + other.label() + ", " + shape.label() + ", " + what;
        }
    }
}
