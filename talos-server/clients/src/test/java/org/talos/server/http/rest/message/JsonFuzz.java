// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.json.Rendered;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/**
 * A body of JSON messages, as REST takes them.
 *
 * <p>Immutable.
 */
public final class JsonFuzz {
    /** Text, tree and messages, each made again by what reads them again. */
    private static final int MULTIPLE = 60;

    private JsonFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        Fuzzed.within(input.length, MULTIPLE, () -> {
            try {
                read(ByteBuffer.wrap(input));
            } catch (ProblemException e) {
                Fuzzed.same(e.problem().status() >= 400 && e.problem().status() < 500, true);
            }
        });
    }

    private static void read(ByteBuffer body) {
        JsonObject json = Json.readPut(body);
        List<JsonObject> given = json.objects("messages", 10_000);
        json.end();
        for (JsonObject each : given) {
            Message message = MessageJson.read(each, 1);
            String text = Rendered.text(
                            MessageJson.body(MessageJson.prepare(new MessageAndOffset(message, 0), Form.BASE64)))
                    .replace("\"offset\":0,", "");
            Message again;
            try {
                again = MessageJson.read(Json.readPut(StandardCharsets.UTF_8.encode(text)), 1);
            } catch (ProblemException e) {
                throw new AssertionError("a message that was read is not read again: " + text, e);
            }
            Fuzzed.same(again.setMessageType(message.getMessageType()), message);
        }
    }
}
