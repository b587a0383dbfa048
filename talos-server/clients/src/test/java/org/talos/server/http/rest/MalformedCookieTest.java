// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosEndpoint;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/** Cookies that Jetty's parser fails for: one of another program on the same host, or one that is made for it. */
@Timeout(60)
class MalformedCookieTest {
    private static final String SESSION = "/v1/session";
    private static final String TOPICS = "/v1/topics";
    private static final String COOKIE = "Cookie";
    private static final String MALFORMED = "talos-session=\"a\" b";
    private static final int FAILED_KEYS = 3;

    @TempDir
    private Path data;

    private RestFixture rest;
    private TalosEndpoint admin;

    @BeforeEach
    void start() throws Exception {
        Map<String, String> settings = Map.of("HTTP_LIMITS_FAILEDKEYSPERMINUTE", Integer.toString(FAILED_KEYS));
        rest = new RestFixture(data, TestServer.start(data, settings, SystemTime.wallClock()));
        admin = rest.server.endpoint();
        rest.as("");
    }

    @AfterEach
    void close() {
        rest.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {MALFORMED, "talos-session=a\tb", "talos-session=", "talos-session", "=talos-session", "; ;=;"})
    void requestWithoutASessionIsRefused(String cookie) throws Exception {
        Answer refused = rest.get(TOPICS, COOKIE, cookie);

        assertThat(refused.status()).as(refused.text()).isEqualTo(401);
    }

    @Test
    void cookieOfAnotherProgramEndsNoSession() throws Exception {
        String body = json("{'accessKey':'" + admin.accessKey() + "','secretKey':'" + admin.secretKey() + "'}");
        String session = rest.send("POST", SESSION, body).header("Set-Cookie").split(";", 2)[0];

        Answer answer = rest.get(TOPICS, COOKIE, "other=\"a\" b; " + session);

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    @Test
    void wrongKeysBesideOneCount() throws Exception {
        String wrong = basic(admin.accessKey(), "wrong");
        for (int i = 0; i < FAILED_KEYS; i++) {
            assertThat(rest.get(TOPICS, COOKIE, MALFORMED, "Authorization", wrong)
                            .status())
                    .isEqualTo(401);
        }

        assertThat(rest.get(TOPICS, COOKIE, MALFORMED, "Authorization", wrong).status())
                .isEqualTo(429);
    }
}
