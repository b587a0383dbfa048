// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The REST interface beside a file of the repository, so that a review of a change sees what it changes for clients.
 */
class InterfaceTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final Path MODULE = Path.of(System.getProperty("basedir"));
    private static final Path FILE = MODULE.resolve("src/test/resources/org/talos/server/http/rest/interface.txt");
    private static final String RENEW = "talos.interface.renew";

    @Test
    void interfaceIsTheOneThatWasReviewed() throws IOException {
        List<String> made = InterfaceLines.of(Description.ROOT);
        if (Boolean.getBoolean(RENEW)) {
            Files.write(FILE, made);
        }

        assertThat(difference(Files.readAllLines(FILE), made))
                .as(
                        "lines of %s that went (-) and came (+). If the interface is to change, renew the file by:"
                                + " mvn test -pl %s -am -Dtest=InterfaceTest -D%s=true",
                        FILE.getFileName(), ROOT.relativize(MODULE), RENEW)
                .isEmpty();
    }

    private static List<String> difference(List<String> before, List<String> after) {
        List<String> gone = new ArrayList<>(before);
        after.forEach(gone::remove);
        List<String> come = new ArrayList<>(after);
        before.forEach(come::remove);
        List<String> all = new ArrayList<>();
        gone.forEach(line -> all.add("- " + line));
        come.forEach(line -> all.add("+ " + line));
        return all;
    }
}
