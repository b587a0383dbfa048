// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.http.rest.RestFixture.Answer;

/** Puts that need much of the memory that a server has for requests. */
@Timeout(60)
class RestLargePutsTest {
    private static final String PUT = "/v1/topics/orders/messages";
    private static final int MEMORY_BYTES = 4 << 20;
    /** As JSON, less than the server has, and more than it ever has beside the body itself. */
    private static final String LARGE = "x".repeat(MEMORY_BYTES / 1_000 * 105);

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(
                data,
                Map.of(
                        "HTTP_MAXBODYBYTES", "1MiB",
                        "HTTP_MAXREQUESTMEMORYBYTES", Integer.toString(MEMORY_BYTES),
                        "SERVICE_MAXGETBYTES", "1MiB"));
        rest.createTopic("orders", 1);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private Answer put(String value) throws Exception {
        return rest.send("POST", PUT, json("{'messages':[{'value':'" + value + "'}]}"));
    }

    @Test
    void putThatNeverFitsIsTooLargeAndNamesTheLimit() throws Exception {
        Answer answer = put(LARGE);

        assertThat(answer.status()).as(answer.text()).isEqualTo(413);
        assertThat(answer.json().get("code").textValue()).isEqualTo("request-too-large");
        assertThat(answer.json().get("detail").textValue()).contains("http.maxRequestMemoryBytes", "Content-Type");
        assertThat(answer.header("Retry-After")).isEmpty();
        assertThat(put("x".repeat(LARGE.length() / 2)).status()).isEqualTo(200);
    }

    @Test
    void sameMessageFitsAsItsBytes() throws Exception {
        Answer answer = rest.post(PUT, BodyPublishers.ofString(LARGE), "Content-Type", "application/octet-stream");

        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    }
}
