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
    private final List<SdkFigures> all;

    SdkResults(List<SdkFigures> all) {
        this.all = List.copyOf(all);
    }

    /** What is claimed of each case; nothing if Kafka was not measured. */
    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        if (of(ClientLibrary.KAFKA).findAny().isEmpty()) {
            return claims;
        }
        List<SdkCase> cases =
                of(ClientLibrary.KAFKA).map(SdkFigures::what).distinct().toList();
        for (SdkCase each : cases) {
            for (String operation : List.of(LoadPhase.PUT, LoadPhase.GET)) {
                String text = "talos : kafka, " + each.label() + ", " + operation + ", ";
                claims.add(Claim.atLeast(
                        text + "messages a second", "", ratio(each, operation, SdkFigures::perSecond), 1));
                claims.add(Claim.atMost(
                        text + "CPU of client and server a message",
                        "",
                        ratio(each, operation, SdkFigures::cpuPerThousand),
                        1));
            }
        }
        return claims;
    }

    private Stream<SdkFigures> of(ClientLibrary library) {
        return all.stream().filter(each -> each.library() == library);
    }

    private double ratio(SdkCase what, String operation, ToDoubleFunction<LoadPhase> figure) {
        double[] sorted = of(ClientLibrary.TALOS)
                .filter(each -> each.what().equals(what))
                .flatMapToDouble(each -> of(ClientLibrary.KAFKA)
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
