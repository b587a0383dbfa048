// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.talos.common.error.TalosException;
import org.talos.server.auth.StreamTokens;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.Sequence;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.QueryParameters;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.message.MessageJson.Prepared;
import org.talos.server.http.rest.records.MessageRecords.NewStreamToken;
import org.talos.server.http.rest.records.MessageRecords.StreamToken;
import org.talos.server.http.rest.stream.StreamSource;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.SeenPresence;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.MessageOperations;
import org.talos.thrift.ErrorCode;

/**
 * The live tail of a partition as server-sent events (HTML standard, section 9.2): a message an event, its offset the
 * event's id, so that a client which reconnects continues where it was.
 *
 * <p>Thread-safe.
 */
final class EventResources {
    private static final String EVENTS = "/v1/topics/{topic}/partitions/{partition}/events";
    private static final String TOKEN = "/v1/topics/{topic}/events/token";
    private static final String LAST_EVENT_ID = "Last-Event-ID";
    private static final int MESSAGES_AT_ONCE = 1_000;
    private static final long BYTES_AT_ONCE = 256 << 10;
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final BlockMessages blocks;

    EventResources(BlockMessages blocks) {
        this.blocks = blocks;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", EVENTS, Route.Body.NONE, this::follow)
                        .named("follow", "The live tail as server-sent events")
                        .query(QueryParameters.from("latest"))
                        .query(QueryParameters.FORM)
                        .withToken()
                        .header(
                                LAST_EVENT_ID,
                                "The id of the last event that was seen; the answer begins behind it.",
                                ValueType.text().pattern("^[0-9]{1,18}$"))
                        .answers(
                                200,
                                "An event for each message, its id the offset, its data the message as JSON; comments "
                                        + "while there are none. An event named problem is the last.",
                                Content.of("text/event-stream", ValueType.text()))
                        .fails(416)
                        .failsWhereUnreadable(),
                Route.of("POST", TOKEN, Route.Body.SMALL, EventResources::token)
                        .named(
                                "makeStreamToken",
                                "A token by which who can send no header opens the topic's event streams")
                        .mayTake(NewStreamToken.class)
                        .answers(200, "A token, and when it ends.", StreamToken.class)
                        .fails(422));
    }

    /** A token by which a page opens the topic's streams. */
    private static CompletionStage<RestAnswer> token(RestRequest request) {
        JsonObject body = Json.readObjectIfAny(request.body());
        StreamTokens tokens = request.tokens();
        long seconds = body.number(
                "seconds", tokens.usualAge().toSeconds(), 1, tokens.maxAge().toSeconds());
        body.end();
        String topic = request.variable(0);
        request.operations().messages().requireRightToGet(request.context(), topic);
        StreamTokens.Token made = tokens.make(request.context().principal(), topic, Duration.ofSeconds(seconds));
        RestAnswer answer = RestAnswer.json(200, new StreamToken(made.token(), made.expires()));
        return CompletableFuture.completedFuture(answer.with("Cache-Control", "no-store"));
    }

    private CompletionStage<RestAnswer> follow(RestRequest request) {
        PartitionName partition = new PartitionName(request.variable(0), request.partition(1));
        Form form = Form.of(request.query().text("as"));
        request.operations().messages().requireRoomToWait(request.context());
        return from(request, partition)
                // A wrong offset or a block that cannot be read shows here, while there is a status to say it by.
                .thenCompose(from -> request.operations()
                        .messages()
                        .fetch(request.context(), new Fetch(partition, from, 1, 1, Duration.ZERO, 1))
                        .thenCompose(found -> BlockMessages.decode(
                                request.heavy(),
                                request.memory(),
                                List.of(found),
                                waiting -> begin(request, found, from, waiting))))
                .thenApply(from -> RestAnswer.stream("text/event-stream", new Tail(request, partition, form, from))
                        .with("Cache-Control", "no-store"));
    }

    private long begin(RestRequest request, Fetched found, long from, RequestMemory waiting) {
        try (RequestMemory memory = request.memory().part()) {
            var unused = blocks.of(found, from, 1, waiting, memory);
        }
        return from == Fetch.EARLIEST ? found.startOffset() : from;
    }

    private static CompletionStage<Long> from(RestRequest request, PartitionName partition) {
        String last = request.header(LAST_EVENT_ID, "");
        if (last.isEmpty()) {
            return StartOffset.from(request, partition, "latest");
        }
        try {
            return CompletableFuture.completedFuture(Math.addExact(Long.parseUnsignedLong(last), 1));
        } catch (ArithmeticException | NumberFormatException e) {
            throw ProblemException.badRequest("header " + LAST_EVENT_ID + " (expected: the id of an event)");
        }
    }

    /** The events from an offset on. Confined: one piece after another, signs in between. */
    private final class Tail implements StreamSource {
        private final MessageOperations operations;
        private final Supplier<CallContext> contexts;
        private final Executor heavy;
        private final RequestMemory memory;
        private final PartitionName partition;
        private final Form form;
        private final SeenPresence presence = new SeenPresence();
        private long next;
        private boolean begun;

        Tail(RestRequest request, PartitionName partition, Form form, long next) {
            operations = request.operations().messages();
            contexts = request.later();
            heavy = request.heavy();
            memory = request.memory();
            this.partition = partition;
            this.form = form;
            this.next = next;
            var unused = request.context().presence().onGone(presence::leave);
        }

        @Override
        public CompletionStage<Piece> next() {
            if (!begun) {
                begun = true; // the client sees at once that the stream is open
                return CompletableFuture.completedFuture(comment());
            }
            Fetch fetch = Fetch.following(partition, next, MESSAGES_AT_ONCE, BYTES_AT_ONCE);
            CallContext context = contexts.get().with(presence);
            return operations.fetch(context, fetch).thenCompose(found -> {
                if (presence.isGone()) {
                    return CompletableFuture.completedFuture(Piece.end());
                }
                var unused = contexts.get(); // fails if the key was removed while it waited
                return BlockMessages.decode(heavy, memory, List.of(found), waiting -> events(found, waiting));
            });
        }

        private Piece events(Fetched found, RequestMemory waiting) {
            RequestMemory part = memory.part(); // holds the messages until they have been written
            try {
                List<Prepared> messages = blocks.of(found, next, Integer.MAX_VALUE, waiting, part).stream()
                        .map(each -> MessageJson.prepare(each, form))
                        .toList();
                if (messages.isEmpty()) {
                    part.close();
                    return comment();
                }
                next = messages.get(messages.size() - 1).offset() + 1;
                return new Piece(
                        new Sequence(
                                messages.stream().flatMap(Tail::event).iterator(), MessageJson.mostBytes(messages)),
                        part::close);
            } catch (RuntimeException | Error e) {
                part.close();
                throw e;
            }
        }

        private static Stream<Body> event(Prepared each) {
            return Stream.of(
                    Bytes.ascii("id: " + each.offset() + "\ndata: "), MessageJson.body(each), Bytes.ascii("\n\n"));
        }

        private static Piece comment() {
            return Piece.of(ByteBuffer.wrap(COMMENT));
        }

        @Override
        public ByteBuffer sign() {
            try {
                operations.requireRightToGet(contexts.get(), partition.topic());
            } catch (TalosException e) {
                if (e.code() != ErrorCode.THROTTLE_REJECT_ERROR) { // there are too many requests, and this is none
                    throw e;
                }
            }
            return ByteBuffer.wrap(COMMENT);
        }

        @Override
        public void close() {
            presence.leave();
        }

        @Override
        public ByteBuffer last(Problem problem) {
            ByteArrayOutputStream event = new ByteArrayOutputStream();
            event.writeBytes("event: problem\ndata: ".getBytes(StandardCharsets.US_ASCII));
            event.writeBytes(Json.write(problem.toJson(null)));
            event.writeBytes("\n\n".getBytes(StandardCharsets.US_ASCII));
            return ByteBuffer.wrap(event.toByteArray());
        }
    }
}
