// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

    private static HeapBounds heap(long mebibytes) {
        return new HeapBounds(mebibytes * MEBIBYTE, mebibytes * MEBIBYTE);
    }

    @ParameterizedTest
    @ValueSource(longs = {512, 1_024, 4_096, 65_536})
    void boundsThatAreSharesOfTheHeapNeedNoFitting(long mebibytes) throws Exception {
        ServerConfig config = ConfigLoader.loadForHeap(mebibytes * MEBIBYTE, Map.of());

        ServerConfig fitted = heap(mebibytes).fitted(config);

        assertThat(fitted.log()).isEqualTo(config.log());
        assertThat(fitted.http().maxRequestMemoryBytes())
                .isEqualTo(config.http().maxRequestMemoryBytes());
    }

    @Test
    void connectionsFitTheHeapAndOneAddressLeavesSomeToOthers() throws Exception {
        ServerConfig config = ConfigLoader.loadForHeap(256 * MEBIBYTE, Map.of());

        assertThat(heap(256).fitted(config).http().maxConnections()).isEqualTo(3_640);
        assertThat(heap(256).fitted(config).http().limits().connectionsPerAddress())
                .isEqualTo(2_730);
        assertThat(heap(2_048).fitted(config).http()).isEqualTo(config.http());
    }

    @Test
    void connectionsFitTheMemoryOutsideOfTheHeap() throws Exception {
        HeapBounds bounds = new HeapBounds(2_048 * MEBIBYTE, 64 * MEBIBYTE);

        assertThat(bounds.fitted(config()).http().maxConnections()).isEqualTo(48 * 1_024 / 33);
    }

    @Test
    void connectionsUnderTlsTakeMore() throws Exception {
        ServerConfig config = ConfigLoader.loadForHeap(
                256 * MEBIBYTE,
                Map.of("TALOS_HTTP_TLS_KEYSTORE", "keys.p12", "TALOS_HTTP_TLS_KEYSTOREPASSWORD", "changeit"));

        assertThat(heap(256).fitted(config).http().maxConnections()).isEqualTo(2_048);
    }

    @Test
    void waitingConnectionsWithoutNumberNeedOnlyAHeapThatHoldsThem() throws Exception {
        ServerConfig config = ConfigLoader.loadForHeap(
                5_120 * MEBIBYTE,
                Map.of(
                        "TALOS_HTTP_MAXCONNECTIONS", "100000",
                        "TALOS_HTTP_LIMITS_CONNECTIONSPERADDRESS", "100000"));

        assertThat(heap(5_120).fitted(config)).isSameAs(config);
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

        assertThat(heap(2_048).fitted(config)).isSameAs(config);
    }

    @Test
    void boundsOfASmallHeapFitIt() throws Exception {
        ServerConfig fitted = heap(512).fitted(config());

        assertThat(needed(fitted)).isBetween(390 * MEBIBYTE, 401 * MEBIBYTE);
        assertThat(fitted.http().maxRequestMemoryBytes())
                .isGreaterThan(2 * fitted.log().tailCacheBytes() - MEBIBYTE);
        assertThat(fitted.service()).isEqualTo(config().service());
    }

    @Test
    void theLargestRequestStaysPossible() throws Exception {
        ServerConfig fitted = heap(128).fitted(config("TALOS_HTTP_MAXBODYBYTES", "100MiB"));

        assertThat(fitted.http().maxRequestMemoryBytes()).isEqualTo(100 * MEBIBYTE);
        assertThat(fitted.log().maxUnwrittenBytes()).isGreaterThanOrEqualTo(MEBIBYTE);
    }

    @Test
    void theLargestGetStaysPossible() throws Exception {
        ServerConfig fitted = heap(128).fitted(config("TALOS_SERVICE_MAXGETBYTES", "100MiB"));

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
            var unused = heap(512).fitted(config());
        } finally {
            log.detachAppender(said);
        }

        assertThat(said.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("heap of 512MiB", "TALOS_JAVA_OPTS=-Xmx1801m", "http.maxRequestMemoryBytes=")
                .doesNotContainPattern("[0-9]{7}");
    }
}
