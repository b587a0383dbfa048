// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that are put again at the console, edited or as they are stored. */
@Tag("full") // browser
@Tag("servers")
class PutAgainIT extends Reader {
    private static final String AGAIN = "Put again …";

    private JsonNode message(String topic, int offset) throws IOException, InterruptedException {
        return done("GET", "/v1/topics/" + topic + "/partitions/0/messages?from=" + offset, "")
                .get("messages")
                .get(0);
    }

    private void openAgain(String topic) {
        signIn(admin());
        visit("#/topics/" + topic + "/messages?m=0.0");
        press(AGAIN);
        awaitInDialog("This puts a new message");
    }

    @Test
    void formHasWhatTheMessageHasAndNamesTheHeadersThatAreLeftOut() throws Exception {
        makeTopic("again", 1);
        put("again", """
                {"value": "paid", "key": "order-17", "tag": "t",
                 "headers": {"trace": "4bf9", "traceparent": "00-1-2-01", "no:line": "x"}}""");
        openAgain("again");
        awaitInDialog("trace of the first put: traceparent");
        awaitInDialog("hold them exactly: no:line");
        expectAccessible();

        retype("value", "paid twice");
        submit();

        awaitInDialog("partition 0, offset 1");
        JsonNode stored = message("again", 1);
        assertThat(stored.get("value").asText()).isEqualTo("paid twice");
        assertThat(stored.get("key").asText()).isEqualTo("order-17");
        assertThat(stored.get("tag").asText()).isEqualTo("t");
        assertThat(stored.get("headers").toString()).isEqualTo("{\"trace\":\"4bf9\"}");
        assertThat(message("again", 0).get("value").asText()).isEqualTo("paid");
    }

    @ParameterizedTest
    @CsvSource({
        "bytes, '{\"base64\": \"/wD+\", \"headers\": {\"h\": \"1\"}}', base64",
        "typed, '{\"base64\": \"/wD+\", \"headers\": {\"content-type\": \"image/x\"}}', base64",
        "lines, '{\"value\": \"a\\r\\nb\", \"headers\": {\"empty\": \"\"}}', value",
        "mixed, '{\"value\": \"a\\r\\nb\\nc\", \"headers\": {\"h\": \"1\"}}', value",
        "batch, '{\"value\": \"{\\\"messages\\\": [\\r\\n\\n\", \"headers\": {\"h\": \"1\"}}', value",
    })
    void whatIsNotEditedIsStoredByteForByte(String topic, String given, String member) throws Exception {
        makeTopic(topic, 1);
        put(topic, given);
        openAgain(topic);

        submit();

        awaitInDialog("partition 0, offset 1");
        JsonNode first = message(topic, 0);
        JsonNode second = message(topic, 1);
        assertThat(second.get(member)).isEqualTo(first.get(member));
        assertThat(second.get("headers")).isEqualTo(first.get("headers"));
    }

    @Test
    void editedTextKeepsItsLineEnds() throws Exception {
        makeTopic("ends", 1);
        put("ends", "{\"value\": \"a\\r\\nb\"}");
        openAgain("ends");

        retype("value", "c\nd");
        submit();

        awaitInDialog("partition 0, offset 1");
        assertThat(message("ends", 1).get("value").asText()).isEqualTo("c\r\nd");
    }

    @Test
    void bytesAreEditedAsBase64() throws Exception {
        makeTopic("edited", 1);
        put("edited", "{\"base64\": \"/wD+\"}");
        openAgain("edited");
        choose("form", "base64");

        retype("value", "/wD/");
        submit();

        awaitInDialog("partition 0, offset 1");
        assertThat(message("edited", 1).get("base64").asText()).isEqualTo("/wD/");
    }

    @Test
    void openMessageIsBackOnceTheFormIsLeft() throws Exception {
        makeTopic("left", 1);
        put("left", "{\"value\": \"paid\"}");
        openAgain("left");

        press("Cancel");

        awaitInDialog("Partition 0, offset 0");
    }
}
