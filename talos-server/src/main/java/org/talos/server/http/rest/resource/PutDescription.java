// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.List;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Answer;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.RequestContent;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.records.MessageRecords.Batch;
import org.talos.server.http.rest.records.MessageRecords.Place;
import org.talos.server.http.rest.records.MessageRecords.Stored;
import org.talos.server.http.rest.stream.LineStream;

/** The description of puts: headers, bodies, and answers do not depend on the path. Immutable. */
final class PutDescription {
    private static final String ENCODED = "^([!-$&-~]|%[0-7][0-9A-Fa-f]){1,64}$";

    private PutDescription() {}

    static Route of(Route put) {
        return withHeaders(put)
                .takes(body())
                .answers(Answer.of(200, "All messages of the batch are stored.", Stored.class)
                        .as(Content.of(
                                LineStream.CONTENT_TYPE,
                                ValueType.text()
                                        .described("For each line its number, and its partition and offset or its "
                                                + "problem. After a problem nothing further is taken."))))
                .answers(Answer.of(201, "The message is stored.", Place.class).header("Location", "", ValueType.text()))
                .answers(
                        207, "Some partitions' messages are stored, others not; each message says which.", Stored.class)
                .fails(409, 422);
    }

    private static Route withHeaders(Route put) {
        return put.header(
                        "Talos-Key",
                        "The message's key, percent-encoded UTF-8.",
                        ValueType.text().pattern(ENCODED))
                .header(
                        "Talos-Tag",
                        "The message's tag, percent-encoded.",
                        ValueType.text().pattern(ENCODED))
                .header(
                        "Talos-Timestamp",
                        "When the message was made, in milliseconds since 1970; now if it is missing.",
                        ValueType.integer().format("int64").min(0))
                .header(
                        IdempotencyKey.HEADER,
                        "Your own name of this put: within the window the same name answers the first offsets and "
                                + "stores nothing.",
                        ValueType.text().pattern("^[!-~]{1,255}$"))
                .header(
                        "traceparent",
                        "The trace that the put belongs to, by W3C Trace Context. With `tracing.enabled` it is kept "
                                + "with the messages as their header `traceparent`.",
                        ValueType.text().pattern("^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$"));
    }

    private static RequestContent body() {
        return new RequestContent(
                true,
                "A batch as JSON; any other content type is one message of these bytes. Talos-Header-… request "
                        + "headers become headers of the message.",
                List.of(
                        Content.of(RestAnswer.JSON, Batch.class),
                        Content.of("application/octet-stream", ValueType.text()),
                        Content.of("text/plain", ValueType.text()),
                        Content.of(
                                LineStream.CONTENT_TYPE,
                                ValueType.text()
                                        .described("A message a line, of the same members as in a batch; over the "
                                                + "whole topic also its partition."))));
    }
}
