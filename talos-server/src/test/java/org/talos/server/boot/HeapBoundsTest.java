// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;

class HeapBoundsTest {
    private static final long MEBIBYTE = 1 << 20;

    private static ServerConfig config(String... settings) throws Exception {
        return ConfigLoader.load(settings.length == 0 ? Map.of() : Map.of(settings[0], settings[1]));
    }

    /** All that clients can fill, with what the collector needs to place it. */
    private static long needed(ServerConfig config) {
        return 4 * config.http().maxRequestMemoryBytes()
                + config.log().tailCacheBytes()
                + config.log().dedupeBytes()
                + 2 * config.log().maxUnwrittenBytes();
    }

    @Test
    void boundsThatFitStayAsTheyAre() throws Exception {
        ServerConfig config = config();

        assertThat(HeapBounds.fitted(config, 2_048 * MEBIBYTE)).isSameAs(config);
    }

    @Test
    void boundsOfASmallHeapFitIt() throws Exception {
        ServerConfig fitted = HeapBounds.fitted(config(), 512 * MEBIBYTE);

        assertThat(needed(fitted)).isBetween(470 * MEBIBYTE, 480 * MEBIBYTE);
        assertThat(fitted.http().maxRequestMemoryBytes())
                .isGreaterThan(2 * fitted.log().tailCacheBytes() - MEBIBYTE);
        assertThat(fitted.service()).isEqualTo(config().service());
    }

    @Test
    void theLargestRequestStaysPossible() throws Exception {
        ServerConfig fitted = HeapBounds.fitted(config("TALOS_HTTP_MAXBODYBYTES", "100MiB"), 128 * MEBIBYTE);

        assertThat(fitted.http().maxRequestMemoryBytes()).isEqualTo(100 * MEBIBYTE);
        assertThat(fitted.log().maxUnwrittenBytes()).isGreaterThanOrEqualTo(MEBIBYTE);
    }

    @Test
    void theLargestGetStaysPossible() throws Exception {
        ServerConfig fitted = HeapBounds.fitted(config("TALOS_SERVICE_MAXGETBYTES", "100MiB"), 128 * MEBIBYTE);

        assertThat(fitted.http().maxRequestMemoryBytes()).isEqualTo(100 * MEBIBYTE);
    }
}
