// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.testing.TestServer;

/** Traces through a server: what clients say is kept with messages, and spans hang together. */
@Isolated // an agent is the whole JVM's
@Timeout(120)
class TracedRequestsTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String SENT = "00-" + TRACE + "-" + SPAN + "-01";
    private static final String OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    private static final int SIZE = 100;

    @TempDir
    private Path directory;

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();

    @BeforeEach
    void noAgentYet() {
        GlobalOpenTelemetry.resetForTest();
    }

    @AfterEach
    void noAgentAnyMore() {
        GlobalOpenTelemetry.resetForTest();
        sdk.close();
    }

    /** Spans end after their answers. */
    private List<SpanData> spans(int count) {
        await().until(() -> spans.getFinishedSpanItems().size() >= count);
        List<SpanData> found = new ArrayList<>(spans.getFinishedSpanItems());
        assertThat(found).hasSize(count);
        found.sort(Comparator.comparing(SpanData::getStartEpochNanos));
        return found;
    }

    private static String attribute(SpanData span, String name) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(name)));
    }

    @Test
    void spansOfAForwardedPutHangTogether() throws Exception {
        GlobalOpenTelemetry.set(sdk);
        Path data = Files.createDirectory(directory.resolve("data"));
        try (ForwardingServer server = new ForwardingServer(data, Map.of("TALOS_DATADIRECTORY", data.toString()));
                CostRequests requests = new CostRequests(server.port(), data)) {
            server.forward();
            requests.header("traceparent", SENT);

            requests.put(3, SIZE, true);
        }

        List<SpanData> found = spans(3);
        assertThat(found).extracting(SpanData::getTraceId).containsOnly(TRACE);
        assertThat(found).extracting(SpanData::getName).containsExactly("put", "forward", "put");
        assertThat(found)
                .extracting(SpanData::getKind)
                .containsExactly(SpanKind.SERVER, SpanKind.CLIENT, SpanKind.SERVER);
        assertThat(found)
                .extracting(SpanData::getParentSpanId)
                .containsExactly(SPAN, found.get(0).getSpanId(), found.get(1).getSpanId());
        assertThat(attribute(found.get(0), "messaging.destination.name")).isEqualTo("orders");
        assertThat(attribute(found.get(2), "messaging.destination.partition.id"))
                .isEqualTo("3");
        assertThat(found.get(0).getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
                .isEqualTo(1);
    }

    @Test
    void spanOfWhatFailsNamesTheFailure() throws Exception {
        GlobalOpenTelemetry.set(sdk);
        try (TestServer server = TestServer.start(directory.resolve("data"), Map.of());
                CostRequests requests = new CostRequests(server.uri().getPort(), directory.resolve("data"))) {
            assertThat(new SimpleConsumerOf(server).failure()).contains("MESSAGE_OFFSET_OUT_OF_RANGE");
            assertThat(requests).isNotNull();
        }

        SpanData get = spans(1).get(0);
        assertThat(get.getName()).isEqualTo("get");
        assertThat(get.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attribute(get, "error.type")).isEqualTo("MESSAGE_OFFSET_OUT_OF_RANGE");
        assertThat(get.getParentSpanContext().isValid()).isFalse();
    }

    /** A read behind the end. */
    private record SimpleConsumerOf(TestServer server) {
        String failure() throws Exception {
            TalosClient once = new TalosClient(server.endpoint()).once();
            try {
                return new SimpleConsumer(once, server.admin().describeTopic("orders"), 0)
                        .fetch(77, 1)
                        .toString();
            } catch (TalosClientException e) {
                return e.getMessage();
            }
        }
    }

    @Test
    void messagesKeepWhatTheirClientSaidOverEveryWay() throws Exception {
        GlobalOpenTelemetry.set(sdk);
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(data, Map.of());
                CostRequests requests = new CostRequests(server.uri().getPort(), data)) {
            requests.header("traceparent", SENT);
            requests.put(0, SIZE, false);
            requests.restPut(0, SIZE);
            requests.restPut(
                    0,
                    "application/json",
                    "{\"messages\": [{\"value\": \"plain\"}, {\"value\": \"own\", \"headers\": {\"traceparent\": \""
                            + OTHER + "\", \"color\": \"red\"}}]}");

            List<String> kept = new ArrayList<>();
            for (JsonNode each :
                    new JsonMapper().readTree(requests.restMessages(0)).get("messages")) {
                kept.add(each.at("/headers/traceparent").asText());
            }
            assertThat(kept).containsExactly(SENT, SENT, SENT, OTHER);

            requests.openStream();
            requests.streamPut(0, SIZE);
            List<FetchedMessage> got = new SimpleConsumer(
                            new TalosClient(server.endpoint()), server.admin().describeTopic("orders"), 0)
                    .fetch(SimpleConsumer.EARLIEST, 10);
            assertThat(got)
                    .extracting(each -> each.headers().get("traceparent"))
                    .containsExactly(SENT, SENT, SENT, OTHER, SENT);
            assertThat(got.get(3).headers()).containsEntry("color", "red");
        }
    }

    @Test
    void withoutAnAgentNothingIsKeptUnlessThatIsWanted() throws Exception {
        assertThat(keptWhere(Map.of())).isEmpty();
        assertThat(keptWhere(Map.of("TRACING_ENABLED", "true"))).isEqualTo(SENT);
        GlobalOpenTelemetry.set(sdk);
        assertThat(keptWhere(Map.of("TRACING_ENABLED", "false"))).isEmpty();
        assertThat(spans.getFinishedSpanItems()).isEmpty();
    }

    private String keptWhere(Map<String, String> settings) throws Exception {
        Path data = Files.createTempDirectory(directory, "data");
        try (TestServer server = TestServer.start(data, settings);
                CostRequests requests = new CostRequests(server.uri().getPort(), data)) {
            requests.header("traceparent", SENT);
            requests.restPut(0, SIZE);
            return new JsonMapper()
                    .readTree(requests.restMessages(0))
                    .at("/messages/0/headers/traceparent")
                    .asText();
        }
    }

    @Test
    void traceparentThatIsNotValidCountsAsNotSent() throws Exception {
        GlobalOpenTelemetry.set(sdk);
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(data, Map.of());
                CostRequests requests = new CostRequests(server.uri().getPort(), data)) {
            requests.header("traceparent", SENT.toUpperCase(Locale.ROOT));
            requests.restPut(0, SIZE);

            assertThat(requests.restMessages(0)).doesNotContainIgnoringCase("traceparent");
        }
        assertThat(spans(2).get(0).getParentSpanContext().isValid()).isFalse();
    }
}
