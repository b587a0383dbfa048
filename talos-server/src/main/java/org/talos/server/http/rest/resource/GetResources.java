// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.Sequence;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Answer;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.QueryParameters;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageHeaders;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.message.MessageJson.Prepared;
import org.talos.server.http.rest.records.MessageRecords;
import org.talos.server.http.rest.records.MessageRecords.Read;
import org.talos.server.http.rest.stream.LineStream;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/** Gets: messages from an offset on, or one. Thread-safe. */
final class GetResources {
    private static final String MANY = "/v1/topics/{topic}/partitions/{partition}/messages";
    private static final String ONE = MANY + "/{offset}";
    static final int MAX_MESSAGES = 10_000;
    static final long MAX_BYTES = 1L << 30; // the server's own limit is lower
    static final long MAX_WAIT_MILLIS = 600_000;

    private final BlockMessages blocks;

    GetResources(BlockMessages blocks) {
        this.blocks = blocks;
    }

    List<Route> routes() {
        return List.of(manyRoute(), oneRoute());
    }

    private Route manyRoute() {
        return Route.of("GET", MANY, Route.Body.NONE, this::many)
                .named("get", "Messages from a place on")
                .query(QueryParameters.from("earliest"))
                .query(
                        "maxMessages",
                        "Messages at most.",
                        ValueType.integer().between(1, MAX_MESSAGES).usual(100))
                .query(
                        "maxBytes",
                        "Stored bytes at most; one block is given all the same. The server has a "
                                + "limit of its own.",
                        ValueType.integer()
                                .format("int64")
                                .between(1, MAX_BYTES)
                                .usual(1 << 20))
                .query(
                        "wait",
                        "Milliseconds to wait for minBytes. The server has a limit of its own.",
                        ValueType.integer().between(0, MAX_WAIT_MILLIS).usual(0))
                .query(
                        "minBytes",
                        "Stored bytes that are worth an answer before the wait is over.",
                        ValueType.integer()
                                .format("int64")
                                .between(1, MAX_BYTES)
                                .usual(1))
                .query(QueryParameters.FORM)
                .answers(Answer.of(200, "The messages, and the position to continue from.", Read.class)
                        .header("Talos-Next-Offset", "With lines: the position to continue from.", ValueType.integer())
                        .as(Content.of(LineStream.CONTENT_TYPE, ValueType.text())))
                .fails(416)
                .failsWhereUnreadable();
    }

    private Route oneRoute() {
        return Route.of("GET", ONE, Route.Body.NONE, this::one)
                .named("getOne", "One message: its bytes, or with Accept: application/json all of it")
                .query(QueryParameters.FORM)
                .answers(Answer.of(
                                200,
                                "The message. Without JSON, what it has beside its bytes is in headers.",
                                MessageRecords.Message.class)
                        .header("Talos-Offset", "", ValueType.integer())
                        .header("Talos-Key", "", ValueType.text())
                        .header("Talos-Tag", "", ValueType.text())
                        .header("Talos-Timestamp", "", ValueType.integer())
                        .as(Content.of("*/*", ValueType.text())))
                .fails(406)
                .failsWhereUnreadable();
    }

    private CompletionStage<RestAnswer> many(RestRequest request) {
        PartitionName partition = new PartitionName(request.variable(0), request.partition(1));
        Form form = Form.of(request.query().text("as"));
        int most = (int) request.query().number("maxMessages", 100, 1, MAX_MESSAGES);
        long bytes = request.query().number("maxBytes", 1 << 20, 1, MAX_BYTES);
        Duration wait = Duration.ofMillis(request.query().number("wait", 0, 0, MAX_WAIT_MILLIS));
        long minBytes = request.query().number("minBytes", 1, 1, MAX_BYTES);
        boolean lines = accepts(request, LineStream.CONTENT_TYPE);
        Executor heavy = request.heavy();
        RequestMemory memory = request.memory();
        return StartOffset.from(request, partition, "earliest")
                .thenCompose(from -> request.operations()
                        .messages()
                        .fetch(request.context(), new Fetch(partition, from, most, bytes, wait, minBytes))
                        .thenCompose(found -> BlockMessages.decode(heavy, memory, List.of(found), waiting -> {
                            List<Prepared> messages = prepare(blocks.of(found, from, most, waiting, memory), form);
                            return lines
                                    ? lines(found, from, messages)
                                    : RestAnswer.json(200, body(partition, found, from, messages));
                        })));
    }

    private static List<Prepared> prepare(List<MessageAndOffset> messages, Form form) {
        return messages.stream().map(each -> MessageJson.prepare(each, form)).toList();
    }

    private static boolean accepts(RestRequest request, String type) {
        return request.headers().preferences("Accept").stream().anyMatch(each -> each.startsWith(type));
    }

    /** Returns the {@code from} of the next request. */
    private static long next(Fetched found, long from, List<Prepared> messages) {
        if (!messages.isEmpty()) {
            return messages.get(messages.size() - 1).offset() + 1;
        }
        return from == Fetch.EARLIEST ? found.startOffset() : from;
    }

    private static Body body(PartitionName partition, Fetched found, long from, List<Prepared> messages) {
        return new JsonFields()
                .number("partition", partition.number())
                .number("start", found.startOffset())
                .number("end", found.endOffset())
                .number("next", next(found, from, messages))
                .list("messages", messages, MessageJson::body, MessageJson.mostBytes(messages))
                .end();
    }

    private static RestAnswer lines(Fetched found, long from, List<Prepared> messages) {
        Body lines = new Sequence(
                messages.stream()
                        .flatMap(each -> Stream.of(MessageJson.body(each), Bytes.ascii("\n")))
                        .iterator(),
                MessageJson.mostBytes(messages));
        return RestAnswer.of(200, LineStream.CONTENT_TYPE, lines)
                .with("Talos-Next-Offset", Long.toString(next(found, from, messages)));
    }

    private CompletionStage<RestAnswer> one(RestRequest request) {
        PartitionName partition = new PartitionName(request.variable(0), request.partition(1));
        long offset = request.number(2, Long.MAX_VALUE);
        Form form = Form.of(request.query().text("as"));
        boolean asJson = accepts(request, RestAnswer.JSON);
        return request.operations()
                .messages()
                .fetch(request.context(), new Fetch(partition, offset, 1, 1, Duration.ZERO, 1))
                .thenCompose(found -> BlockMessages.decode(
                        request.heavy(),
                        request.memory(),
                        List.of(found),
                        waiting -> blocks.of(found, offset, 1, waiting, request.memory()).stream()
                                .filter(each -> each.getMessageOffset() == offset)
                                .findFirst()
                                .map(each -> asJson
                                        ? RestAnswer.json(200, MessageJson.body(MessageJson.prepare(each, form)))
                                        : raw(each))
                                .orElseThrow(() -> noMessage(offset))))
                .exceptionally(thrown -> {
                    throw isOutOfRange(thrown) ? noMessage(offset) : new CompletionException(Exceptions.unwrap(thrown));
                });
    }

    private static ProblemException noMessage(long offset) {
        return ProblemException.refused(404, "message-not-exist", "there is no message " + offset);
    }

    private static boolean isOutOfRange(Throwable thrown) {
        return Exceptions.unwrap(thrown) instanceof TalosException known
                && known.code() == ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE;
    }

    /** Returns a message as it is. A client may have put anything: browsers must not run it. */
    private static RestAnswer raw(MessageAndOffset each) {
        Message message = each.getMessage();
        RestAnswer answer = RestAnswer.bytes(
                        200, MessageHeaders.contentType(message), List.of(message.bufferForMessage()))
                .with("Content-Security-Policy", "sandbox");
        return MessageHeaders.describe(answer, message, each.getMessageOffset());
    }
}
