// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StaticSiteTest {
    private final StaticSite site = StaticSite.open("/console/", "org/talos/console/", "policy");

    @ParameterizedTest
    @ValueSource(strings = {"preact/dist/", "htm/dist/", "uplot/dist/", "swagger-ui/"})
    void nameThatNoFileOfALibraryHasIsNotLookedFor(String folder) {
        assertThat(site.find("lib/" + folder + "nothing.js")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "preact/dist/preact.module.js",
                "htm/dist/htm.module.js",
                "uplot/dist/uPlot.esm.js",
                "swagger-ui/swagger-ui-bundle.js"
            })
    void filesOfLibrariesAreFound(String name) {
        assertThat(site.find("lib/" + name)).isPresent();
    }
}
