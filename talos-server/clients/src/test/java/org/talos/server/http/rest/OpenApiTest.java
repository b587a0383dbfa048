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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.http.rest.description.RouteDescription;
import org.talos.server.http.rest.description.Subject;
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

    @ParameterizedTest
    @CsvSource({
        "/topics, get, Topics",
        "/topics/{topic}/partitions/{partition}/segments, get, Topics",
        "/topics/{topic}/messages, post, Messages",
        "/topics/{topic}/partitions/{partition}/events, get, Messages",
        "/topics/{topic}/groups/{group}/rights/{grantee}, put, Groups",
        "/topics/{topic}/permissions, get, Permissions",
        "/topics/{topic}/quota, put, Quotas",
        "/quotas/users/{user}, get, Quotas",
        "/users/{user}/key, post, Users",
        "/overview/history, get, Server",
    })
    void operationIsTaggedByItsSubject(String path, String method, String tag) {
        JsonNode operation = Description.ROOT.get("paths").get("/v1" + path).get(method);

        assertThat(operation.get("tags").toString()).isEqualTo("[\"" + tag + "\"]");
    }

    @Test
    void everySubjectHasAnOperationAndIsDescribed() {
        Set<String> used = new TreeSet<>();
        Routes.all().forEach(each -> used.add(Subject.of(each.segments()).title()));

        assertThat(Description.ROOT.get("tags").findValuesAsText("name")).containsExactlyInAnyOrderElementsOf(used);
        assertThat(Description.ROOT.get("tags").findValuesAsText("description")).doesNotContain("");
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
