// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.report.Claim;

/** Compares the libraries: medians of the ratios within each round. Immutable. */
final class SdkResults {
    /** The least share of its rate without TLS that the SDK reaches with TLS. */
    private static final double UNDER_TLS = 0.7;

    private final List<SdkFigures> all;

    SdkResults(List<SdkFigures> all) {
        this.all = List.copyOf(all);
    }

    /** The claims of each case; none if Talos was measured alone, and in one way. */
    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        for (SdkCase each : cases(ClientLibrary.KAFKA)) {
            for (String operation : List.of(LoadPhase.PUT, LoadPhase.GET)) {
                String text = "talos : kafka, " + each.label() + ", " + operation + ", ";
                claims.add(Claim.atLeast(
                        text + "messages a second",
                        "",
                        ratio(ClientLibrary.TALOS, ClientLibrary.KAFKA, each, operation, SdkFigures::perSecond),
                        1));
                claims.add(Claim.atMost(
                        text + "CPU of client and server a message",
                        "",
                        ratio(ClientLibrary.TALOS, ClientLibrary.KAFKA, each, operation, SdkFigures::cpuPerThousand),
                        1));
            }
        }
        for (SdkCase each : cases(ClientLibrary.TALOS_TLS)) {
            for (String operation : List.of(LoadPhase.PUT, LoadPhase.GET)) {
                claims.add(Claim.atLeast(
                        "with TLS : without, " + each.label() + ", " + operation + ", messages a second",
                        "",
                        ratio(ClientLibrary.TALOS_TLS, ClientLibrary.TALOS, each, operation, SdkFigures::perSecond),
                        UNDER_TLS));
            }
        }
        return claims;
    }

    private List<SdkCase> cases(ClientLibrary library) {
        return of(library).map(SdkFigures::what).distinct().toList();
    }

    private Stream<SdkFigures> of(ClientLibrary library) {
        return all.stream().filter(each -> each.library() == library);
    }

    private double ratio(
            ClientLibrary library,
            ClientLibrary other,
            SdkCase what,
            String operation,
            ToDoubleFunction<LoadPhase> figure) {
        double[] sorted = of(library)
                .filter(each -> each.what().equals(what))
                .flatMapToDouble(each -> of(other)
                        .filter(beside -> beside.what().equals(what) && beside.round() == each.round())
                        .mapToDouble(beside -> figure.applyAsDouble(each.phase(operation))
                                / figure.applyAsDouble(beside.phase(operation))))
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
