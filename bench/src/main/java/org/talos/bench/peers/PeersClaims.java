// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.ArrayList;
import java.util.List;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Claim;

/** Makes the claims about Talos beside others, as far as both were measured. Immutable. */
final class PeersClaims {
    private static final double OF_KAFKA = 1.5;
    private static final double OF_KAFKA_SYNCED = 4;
    private static final double AHEAD = 1;

    private final Results results;
    private final List<Shape> shapes;

    /** @param shapes the loads that were measured */
    PeersClaims(Results results, List<Shape> shapes) {
        this.results = results;
        this.shapes = List.copyOf(shapes);
    }

    /** Under each load; under a pace nothing about rates, which are the same. */
    List<Claim> all() {
        List<Claim> claims = new ArrayList<>();
        for (Shape each : shapes) {
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
            if (shape != Shape.PACED) {
                results.atLeast(
                                text("requests a second"),
                                PeersFigures.caseName(one, shape),
                                PeersFigures.caseName(other, shape),
                                PeersFigures.REQUESTS,
                                least)
                        .ifPresent(claims::add);
            }
        }

        void costAndTail() {
            less("CPU a request", PeersFigures.CPU);
            less("P99 of a put", PeersFigures.ofPuts(each -> each.millisAt(99)));
            less("P999 of a put", PeersFigures.ofPuts(each -> each.millisAt(99.9)));
            if (shape.hasGetters()) {
                less("P99 until got", PeersFigures.ofGets(each -> each.millisAt(99)));
                less("P999 until got", PeersFigures.ofGets(each -> each.millisAt(99.9)));
            }
        }

        private void less(String what, Figure figure) {
            results.atMost(
                            text(what),
                            PeersFigures.caseName(one, shape),
                            PeersFigures.caseName(other, shape),
                            figure,
                            AHEAD)
                    .ifPresent(claims::add);
        }

        private String text(String what) {
            return one.label() + " : " + other.label() + ", " + shape.label() + ", " + what;
        }
    }
}
