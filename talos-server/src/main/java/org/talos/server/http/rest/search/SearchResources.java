// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.Query;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.description.QueryParameters;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.records.SearchRecords.SearchLine;
import org.talos.server.http.rest.stream.LineStream;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.PartitionEnds;
import org.talos.thrift.ErrorCode;

/** Searches a topic's messages, for users who may get them. Thread-safe. */
public final class SearchResources {
    private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,9}(?:,[0-9]{1,9})*+");
    private static final int MOST_MATCHES = 10_000;
    private static final long USUAL_BYTES = 64L << 20;
    private static final long MOST_BYTES = 1L << 30;
    private static final long USUAL_SECONDS = 60;
    private static final long MOST_SECONDS = 300;
    private static final long USUAL_VALUE_BYTES = 64 << 10;
    private static final long MOST_VALUE_BYTES = 64L << 20;

    private final BlockMessages blocks;
    private final ToLongBiFunction<String, RestRequest> times;
    private final Searches searches = new Searches();

    /** @param times milliseconds since 1970 of a time in a request; fails with a {@link ProblemException} */
    public SearchResources(BlockMessages blocks, ToLongBiFunction<String, RestRequest> times) {
        this.blocks = blocks;
        this.times = times;
    }

    public List<Route> routes() {
        Route route = Route.of("GET", "/v1/topics/{topic}/search", Route.Body.NONE, this::search)
                .named("search", "Look through a topic's messages at the server")
                .described("Answers lines as they are found: messages that match all that is asked, "
                        + "progress now and then, and one end, or a problem in its place. Without a "
                        + "condition every message matches. Ends when the client leaves.");
        return List.of(withBounds(withConditions(withPlaces(route)))
                .query(QueryParameters.FORM)
                .answers(200, "Lines, each a SearchLine.", Content.of(LineStream.CONTENT_TYPE, SearchLine.class))
                .fails(416, 422));
    }

    private static Route withPlaces(Route route) {
        ValueType place = ValueType.text().pattern("^[0-9A-Za-z:.,+@ -]+$").maxLength(8192);
        return route.query(
                        "direction",
                        "forward: each partition from older to newer messages. backward: the newest "
                                + "match first, by append time, of all partitions. Where a bound of bytes, "
                                + "seconds, or quota ends it, the matches found so far follow at once.",
                        ValueType.text().words("forward", "backward").usual("forward"))
                .query(
                        "from",
                        "Where the search of each partition begins: earliest (the default), latest-<n> "
                                + "(n messages before its end), an offset, a point of time, like "
                                + "2026-01-31T12:00:00Z or 1h; or offsets by partition as 0:17,1:4, as an "
                                + "end line's next has them. Backward: latest (the default), or another "
                                + "place but earliest; the first message searched is the one before it.",
                        place)
                .query(
                        "to",
                        "Where the search of each partition ends, itself not included: latest (the "
                                + "default, the end as the search begins), an offset, a point of time. "
                                + "Backward: earliest (the default), or another place before from; the "
                                + "message at it is included.",
                        place)
                .query(
                        "partitions",
                        "Numbers, separated by commas; all if missing.",
                        ValueType.text().pattern("^[0-9]{1,10}(,[0-9]{1,10})*$").maxLength(8192));
    }

    private static Route withConditions(Route route) {
        return route.query("key", "The whole key.", ValueType.text().length(1, 256))
                .query(
                        "header",
                        "name or name:value, the whole value; names of any case.",
                        ValueType.text().length(1, 1024))
                .query(
                        "text",
                        "Is part of the bytes of the message, as UTF-8.",
                        ValueType.text().length(1, 1024))
                .query(
                        "jsonPath",
                        "Into a message that is JSON: $.order.items[0].sku, ['a name'], [*] and .* "
                                + "for any; alone, or with ==, !=, <, <=, >, >= and a JSON value, as $.total "
                                + ">= 100.",
                        ValueType.text().length(1, 1024))
                .query(
                        "where",
                        "Further conditions, up to 16, as a list in JSON: field (key, value, header, or json), name "
                                + "(of the header, or the JSON path), is (equals, contains, matches, or exists), "
                                + "text, and not, which negates. matches takes a regular expression of RE2, as does "
                                + "[{\"field\":\"header\",\"name\":\"trace\",\"is\":\"matches\",\"text\":\"^4b\"}].",
                        ValueType.text().length(2, ConditionParser.MAX_CHARACTERS));
    }

    private static Route withBounds(Route route) {
        return route.query(
                        "limit",
                        "Messages that match, at most.",
                        ValueType.integer().between(1, MOST_MATCHES).usual(100))
                .query(
                        "maxBytes",
                        "Stored bytes to look through, at most.",
                        ValueType.integer()
                                .format("int64")
                                .between(1, MOST_BYTES)
                                .usual(USUAL_BYTES))
                .query(
                        "maxSeconds",
                        "Seconds to look, at most.",
                        ValueType.integer().between(1, MOST_SECONDS).usual(USUAL_SECONDS))
                .query(
                        "maxValueBytes",
                        "The most bytes that are shown of a message; truncated says whether there are more.",
                        ValueType.integer().between(0, MOST_VALUE_BYTES).usual(USUAL_VALUE_BYTES));
    }

    private CompletionStage<RestAnswer> search(RestRequest request) {
        Query query = request.query();
        String topic = request.variable(0);
        SearchSource.Asked asked = new SearchSource.Asked(
                topic,
                SearchFilter.of(query),
                Form.of(query.text("as")),
                (int) query.number("limit", 100, 1, MOST_MATCHES),
                query.number("maxBytes", USUAL_BYTES, 1, MOST_BYTES),
                Duration.ofSeconds(query.number("maxSeconds", USUAL_SECONDS, 1, MOST_SECONDS)),
                (int) query.number("maxValueBytes", USUAL_VALUE_BYTES, 0, MOST_VALUE_BYTES));
        ToLongFunction<String> time = text -> times.applyAsLong(text, request);
        SearchDirection direction = SearchDirection.of(query.text("direction"));
        SearchPlace from = SearchPlace.parse(query.text("from").orElse(direction.usualFrom()), time);
        SearchPlace to = SearchPlace.parse(query.text("to").orElse(direction.usualTo()), time);
        direction.check(from, to);
        List<Integer> wanted =
                query.text("partitions").map(SearchResources::numbers).orElse(List.of());
        searches.requireRoom(
                request.context().principal().userId(), request.context().arrivedNanos());
        return request.operations()
                .messages()
                .ends(request.context(), topic)
                .thenCompose(ends -> ranges(
                        request,
                        direction.older(from, to),
                        direction.newer(from, to),
                        partitions(named(wanted, from), ends),
                        ends))
                .thenApply(ranges -> direction.walk(blocks, request.memory(), asked, ranges))
                .thenApply(walk -> RestAnswer.stream(
                                LineStream.CONTENT_TYPE, new SearchSource(request, searches, asked, walk))
                        .with("Cache-Control", "no-store"));
    }

    private static List<Integer> numbers(String text) {
        if (!NUMBERS.matcher(text).matches()) {
            throw ProblemException.badRequest("parameter partitions (expected: numbers separated by commas)");
        }
        return Arrays.stream(text.split(",")).map(Integer::valueOf).distinct().toList();
    }

    /** Returns the partitions that the beginning names, if no others are named. */
    private static List<Integer> named(List<Integer> wanted, SearchPlace from) {
        return wanted.isEmpty() && from instanceof SearchPlace.ByPartition places
                ? places.offsets().keySet().stream().sorted().toList()
                : wanted;
    }

    /** All partitions if none was named. */
    private static List<Integer> partitions(List<Integer> wanted, Map<Integer, PartitionEnds> ends) {
        List<Integer> all = wanted.isEmpty() ? ends.keySet().stream().sorted().toList() : wanted;
        for (int each : all) {
            PartitionEnds found = ends.get(each);
            if (found == null) {
                throw TalosException.refused(
                        ErrorCode.PARTITION_NOT_EXIST,
                        "partition " + each + " (expected: 0.." + (ends.size() - 1) + ")");
            }
            if (!found.isServed()) {
                throw TalosException.refused(
                        ErrorCode.PARTITION_NOT_SERVING,
                        "partition " + each + " has no server now: leave it out by partitions=…, or try again");
            }
        }
        return all;
    }

    private static CompletionStage<List<SearchSource.Range>> ranges(
            RestRequest request,
            SearchPlace from,
            SearchPlace to,
            List<Integer> partitions,
            Map<Integer, PartitionEnds> ends) {
        List<CompletableFuture<List<SearchSource.Range>>> all = new ArrayList<>();
        for (int number : partitions) {
            PartitionName partition = new PartitionName(request.variable(0), number);
            PartitionEnds found = ends.getOrDefault(number, PartitionEnds.NOT_SERVED);
            all.add(from.in(request, partition, found)
                    .thenCombine(to.in(request, partition, found), (begin, end) -> range(partition, begin, end))
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(done ->
                        all.stream().flatMap(each -> each.join().stream()).collect(Collectors.toList()));
    }

    private static List<SearchSource.Range> range(PartitionName partition, OptionalLong begin, OptionalLong end) {
        return begin.isPresent() && end.isPresent() && begin.getAsLong() < end.getAsLong()
                ? List.of(new SearchSource.Range(partition, begin.getAsLong(), end.getAsLong()))
                : List.of();
    }
}
