// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;

class HeapBoundsTest {
    private static final long MEBIBYTE = 1 << 20;

    /** With bounds that are set, as for 2 GiB. */
    private static ServerConfig config(String... settings) throws Exception {
        Map<String, String> all = new HashMap<>(Map.of(
                "TALOS_HTTP_MAXREQUESTMEMORYBYTES", "256MiB",
                "TALOS_LOG_TAILCACHEBYTES", "128MiB",
                "TALOS_LOG_DEDUPEBYTES", "128MiB",
                "TALOS_LOG_MAXUNWRITTENBYTES", "128MiB"));
        if (settings.length > 0) {
            all.put(settings[0], settings[1]);
        }
        return ConfigLoader.load(all);
    }

    @Test
    void boundsOfThisHeapNeedNoFitting() throws Exception {
        ServerConfig config = ConfigLoader.load(Map.of());

        assertThat(HeapBounds.fitted(config, Runtime.getRuntime().maxMemory())).isSameAs(config);
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

    /** Whoever reads it types it in: with units, and with what to set. */
    @Test
    void warningNamesTheSettingThatGivesMoreHeap() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger(HeapBounds.class);
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        log.addAppender(said);
        try {
            var unused = HeapBounds.fitted(config(), 512 * MEBIBYTE);
        } finally {
            log.detachAppender(said);
        }

        assertThat(said.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("heap of 512MiB", "TALOS_JAVA_OPTS=-Xmx1568m", "http.maxRequestMemoryBytes=")
                .doesNotContainPattern("[0-9]{7}");
    }
}
