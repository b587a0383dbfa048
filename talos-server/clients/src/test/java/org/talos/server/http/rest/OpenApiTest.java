// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.http.rest.description.RouteDescription;
import org.talos.server.http.rest.resource.Routes;

/**
 * The description beside the routes, in both directions. Answers are compared by {@link RestFixture}, each as it comes.
 */
class OpenApiTest {
    @TempDir
    private Path data;

    @Test
    void routesAreThoseThatAreDescribedWithTheirParameters() {
        Set<String> served = new TreeSet<>();
        for (Route route : Routes.all()) {
            served.add(route.method() + " " + route.path() + " " + new TreeSet<>(route.parameters()));
        }

        assertThat(served).isEqualTo(Description.routes());
    }

    @Test
    void everyRouteHasANameOfItsOwnASummaryAndAnAnswer() {
        List<RouteDescription> all =
                Routes.all().stream().map(Route::description).toList();

        assertThat(all).extracting(RouteDescription::id).doesNotContain("").doesNotHaveDuplicates();
        assertThat(all).allSatisfy(each -> {
            assertThat(each.summary()).as(each.id()).isNotEmpty();
            assertThat(each.answers()).as(each.id()).isNotEmpty();
        });
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        Description.ROOT.findValuesAsText("$ref").forEach(reference -> {
            JsonNode target = Description.ROOT.at(reference.substring(1));
            assertThat(target.isMissingNode()).as(reference).isFalse();
        });
    }

    @Test
    void serverGivesTheDescriptionAsItIs() throws Exception {
        try (RestFixture rest = new RestFixture(data)) {
            rest.as("");
            assertThat(rest.get("/v1/openapi.json").json()).isEqualTo(Description.ROOT);
        }
    }
}
