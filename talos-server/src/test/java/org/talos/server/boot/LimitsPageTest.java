// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.config.load.ConfigLoader;

/**
 * The table of limits in docs/operations.md equals the server's computation. To regenerate the table: {@code mvn -pl
 * talos-server -am test -Dtest=LimitsPageTest -Dtalos.docs=write}.
 */
class LimitsPageTest {
    private static final Path PAGE = Path.of(System.getProperty("talos.root"), "docs/operations.md");
    private static final String BEGIN = "| limit | 256 MiB |";
    private static final long MEBIBYTE = 1 << 20;

    private static Map<String, String> limits(long mebibytes, Map<String, String> settings) throws Exception {
        long bytes = mebibytes * MEBIBYTE;
        return new HeapBounds(bytes, bytes).limits(ConfigLoader.loadForHeap(bytes, settings));
    }

    private static String table() throws Exception {
        List<Long> heaps = List.of(256L, 512L, 1_024L, 2_048L, 4_096L);
        List<Map<String, String>> columns = new ArrayList<>();
        StringBuilder head = new StringBuilder("| limit |");
        for (long heap : heaps) {
            head.append(heap < 1_024 ? " " + heap + " MiB |" : " " + heap / 1_024 + " GiB |");
            columns.add(limits(heap, Map.of()));
        }
        List<String> lines = new ArrayList<>(List.of(head.toString(), "|---|" + "---|".repeat(heaps.size())));
        for (String name : columns.get(0).keySet()) {
            StringBuilder line = new StringBuilder("| " + (name.contains(" ") ? name : "`" + name + "`") + " |");
            columns.forEach(column -> line.append(' ').append(column.get(name)).append(" |"));
            lines.add(line.toString());
        }
        StringBuilder tls = new StringBuilder("| `http.maxConnections` with TLS |");
        for (long heap : heaps) {
            Map<String, String> settings =
                    Map.of("TALOS_HTTP_TLS_KEYSTORE", "a", "TALOS_HTTP_TLS_KEYSTOREPASSWORD", "b");
            tls.append(' ')
                    .append(limits(heap, settings).get("http.maxConnections"))
                    .append(" |");
        }
        lines.add(3, tls.toString());
        return String.join("\n", lines) + "\n";
    }

    @Test
    void tableOfLimitsIsWhatTheServerComputes() throws Exception {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN);
        assertThat(begin).isPositive();
        int end = page.indexOf("\n\n", begin) + 1;
        if ("write".equals(System.getProperty("talos.docs"))) {
            page = page.substring(0, begin) + table() + page.substring(end);
            Files.writeString(PAGE, page);
            end = page.indexOf("\n\n", begin) + 1;
        }

        assertThat(page.substring(begin, end)).isEqualTo(table());
    }
}
