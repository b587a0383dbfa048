// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a program on the module path: its modules keep their names, whatever the files of the jars are called. */
@Timeout(60)
class ModulesIT {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String VERSION = System.getProperty("talos.version");

    /** The published jars, each with its folder. */
    private static final Map<String, String> MODULES = Map.of(
            "talos-common/target/talos-common", "org.talos.common",
            "talos-client/target/talos-client", "org.talos.client",
            "talos-client-micrometer/target/talos-client-micrometer", "org.talos.client.micrometer",
            "talos-server/target/talos-server", "org.talos.server",
            "console/target/talos-console", "org.talos.console",
            "site/target/talos-docs", "org.talos.docs");

    private static ModuleDescriptor module(String jar) {
        return ModuleFinder.of(ROOT.resolve(jar + "-" + VERSION + ".jar"))
                .findAll()
                .iterator()
                .next()
                .descriptor();
    }

    @Test
    void publishedJarsHaveTheirModulesNames() {
        Map<String, String> names = new HashMap<>();
        MODULES.keySet().forEach(jar -> names.put(jar, module(jar).name()));

        assertThat(names).isEqualTo(MODULES);
    }

    /** The module system refuses two modules with one package. */
    @Test
    void noPackageIsInTwoOfThem() {
        Map<String, String> owners = new HashMap<>();

        MODULES.forEach((jar, name) -> module(jar)
                .packages()
                .forEach(each -> assertThat(owners.put(each, name)).as(each).isNull()));

        assertThat(owners).containsKeys("org.talos.client.consumer", "org.talos.thrift", "org.talos.server");
    }
}
