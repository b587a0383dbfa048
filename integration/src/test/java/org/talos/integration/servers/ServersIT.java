// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;

/** Three servers on real HDFS, HBase and ZooKeeper, as one service. */
@WithDevCluster
@Timeout(300)
class ServersIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PARTITIONS = 6;

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;
    private TopicDescription topic;

    ServersIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster(daemons, directory);
        topic = cluster.startThree("orders", PARTITIONS);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void put(TalosClient client, int partition, String text) throws TalosClientException {
        new SimpleProducer(client, topic, Compression.NONE)
                .put(partition, List.of(OutgoingMessage.of(text.getBytes(StandardCharsets.UTF_8))));
    }

    private List<String> all(TalosClient client, int partition) throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
        List<String> texts = new ArrayList<>();
        for (List<FetchedMessage> some = consumer.fetch(0, 100);
                !some.isEmpty();
                some = consumer.fetch(texts.size(), 100)) {
            for (FetchedMessage each : some) {
                assertThat(each.offset()).isEqualTo(texts.size());
                texts.add(new String(each.body(), StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    @Test
    void anyServerAnswersAnyRequest() throws Exception {
        for (String id : TestCluster.IDS) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                put(cluster.only(id), partition, "by " + id);
            }
        }

        for (String id : TestCluster.IDS) {
            TalosClient client = cluster.only(id);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(all(client, partition)).containsExactly("by one", "by two", "by three");
            }
            assertThat(new TalosAdmin(client).offsets(topic))
                    .extracting(PartitionOffsets::endExclusive)
                    .containsOnly(3L);
            assertThat(new TalosAdmin(client).offsetsAt(topic, Instant.EPOCH))
                    .containsOnlyKeys(0, 1, 2, 3, 4, 5)
                    .containsValue(0L);
        }
        assertThat(cluster.rest("three", "GET", "/v1/topics/orders/partitions/0/messages?from=0", "")
                        .body())
                .contains("by one", "by two", "by three");
        assertEachServerTellsOfAll();
    }

    /** Checks that each server shows operators the whole cluster. */
    private void assertEachServerTellsOfAll() throws Exception {
        for (String id : TestCluster.IDS) {
            JsonNode partitions = JSON.readTree(cluster.rest(id, "GET", "/v1/topics/orders/partitions", "")
                            .body())
                    .get("partitions");
            assertThat(partitions.findValuesAsText("server"))
                    .hasSize(PARTITIONS)
                    .containsOnly(TestCluster.IDS.toArray(new String[0]));
            assertThat(partitions.findValuesAsText("next")).hasSize(PARTITIONS).containsOnly("3");
            assertThat(partitions.findValuesAsText("epoch")).hasSize(PARTITIONS);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                String segments = "/v1/topics/orders/partitions/" + partition + "/segments";
                assertThat(JSON.readTree(cluster.rest(id, "GET", segments, "").body())
                                .at("/segments/0/messages")
                                .intValue())
                        .isEqualTo(3);
            }
            for (String direction : List.of("forward", "backward")) {
                String search = "/v1/topics/orders/search?text=by%20two&direction=" + direction;
                List<String> found = cluster.rest(id, "GET", search, "")
                        .body()
                        .lines()
                        .filter(line -> !line.startsWith("{\"progress\""))
                        .toList();
                assertThat(found).hasSize(PARTITIONS + 1).last().asString().contains("\"reason\":\"end\"");
            }
            assertThat(JSON.readTree(cluster.rest(id, "GET", "/v1/overview", "").body())
                            .get("server")
                            .textValue())
                    .isEqualTo(id);
        }
    }

    @Test
    void groupReadsPartitionsOfAllServersFromAnyOfThem() throws Exception {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            put(cluster.only("one"), partition, "message " + partition);
        }
        String member = cluster.member("two", topic, "g");

        String fetched = cluster.rest("three", "POST", member + "/fetch", "{}").body();

        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(fetched).contains("message " + partition);
        }
    }

    @Tag("full") // long
    @Tag("servers")
    @Test
    void serverThatIsBackInTimeServesWhatItServedAndMeanwhileNobodyDoes() throws Exception {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            put(cluster.all(), partition, "before");
        }
        new GroupAdmin(cluster.all()).reset("orders", "g", GroupReset.toEarliest());
        cluster.stop("two");

        int away = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try {
                put(cluster.only("one"), partition, "meanwhile");
            } catch (TalosClientException e) {
                assertThat(e.code()).isEqualTo("PARTITION_NOT_SERVING");
                away++;
            }
        }
        assertThat(away).isEqualTo(2);
        assertThat(cluster.status("one")).containsEntry("two", "delay_removed 2");
        assertWhatIsKnownIsTold();

        cluster.start("two");

        cluster.awaitEven(2);
        TalosClient client = cluster.all();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            put(client, partition, "after");
            assertThat(all(client, partition)).startsWith("before").endsWith("after");
        }
    }

    private void assertWhatIsKnownIsTold() throws Exception {
        GroupDescription group = new GroupAdmin(cluster.only("one")).describe("orders", "g");
        assertThat(group.partitions())
                .hasSize(PARTITIONS)
                .allSatisfy(each -> assertThat(each.committed()).hasValue(0));
        assertThat(group.partitions())
                .filteredOn(each -> each.lag().isPresent())
                .hasSize(4);
        assertThat(group.lag()).isEmpty();
        for (String path : List.of("/offsets", "/groups/g")) {
            HttpResponse<String> answer = cluster.rest("three", "GET", "/v1/topics/orders" + path, "");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body().split("\"end\"")).as(path).hasSize(4 + 1);
        }
    }

    @Tag("full") // long
    @Tag("servers")
    @Test
    void drainedServerGivesAllAwayUnderLoadAndNothingIsLostOrTwice() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger[] counts = new AtomicInteger[PARTITIONS];
        ExecutorService threads = Executors.newFixedThreadPool(PARTITIONS);
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        TalosClient client = cluster.all();
        for (int i = 0; i < PARTITIONS; i++) {
            int partition = i;
            counts[i] = new AtomicInteger();
            puts.add(CompletableFuture.runAsync(() -> putUntil(stop, client, partition, counts[partition]), threads));
        }
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> counts[0].get() > 5);

            assertThat(cluster.rest("one", "PUT", "/v1/cluster/servers/two/drain", "")
                            .statusCode())
                    .isEqualTo(204);
            cluster.awaitStatus("three", Map.of("one", "serving 3", "two", "drained 0", "three", "serving 3"));
            assertThat(cluster.rest("three", "GET", "/v1/cluster", "").body())
                    .containsPattern("\"workers\":\\[.*\\{\"pool\":\"put\",\"workers\":\\d+,\"auto\":true}");
            int[] then = new int[PARTITIONS];
            for (int i = 0; i < PARTITIONS; i++) {
                then[i] = counts[i].get();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                for (int i = 0; i < PARTITIONS; i++) {
                    if (counts[i].get() < then[i] + 5) {
                        return false;
                    }
                }
                return true;
            });
        } finally {
            stop.set(true);
            puts.forEach(CompletableFuture::join);
            threads.shutdown();
        }

        assertAllIsThere(client, counts);
    }

    private void assertAllIsThere(TalosClient client, AtomicInteger[] counts) throws TalosClientException {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < counts[partition].get(); i++) {
                expected.add("message " + i);
            }
            assertThat(all(client, partition)).isEqualTo(expected);
        }
    }

    private void putUntil(AtomicBoolean stop, TalosClient client, int partition, AtomicInteger count) {
        SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE);
        try {
            while (!stop.get()) {
                String text = "message " + count.get();
                producer.put(partition, List.of(OutgoingMessage.of(text.getBytes(StandardCharsets.UTF_8))));
                count.incrementAndGet();
            }
        } catch (TalosClientException e) {
            throw new IllegalStateException("partition " + partition, e);
        }
    }

    @Test
    void deletedTopicIsGoneOnAllServersAndItsNameIsFree() throws Exception {
        put(cluster.all(), 3, "old");
        new TalosAdmin(cluster.only("one")).deleteTopic("orders");

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> new TalosAdmin(cluster.only("three")).describeTopic("orders"))
                        .isInstanceOfSatisfying(
                                TalosClientException.class,
                                e -> assertThat(e.code()).isEqualTo("TOPIC_NOT_EXIST")));

        topic = new TalosAdmin(cluster.only("three")).createTopic(NewTopic.of("orders", PARTITIONS));
        put(cluster.all(), 3, "new");
        assertThat(all(cluster.all(), 3)).containsExactly("new");
    }

    @Tag("full") // long
    @Tag("servers")
    @Test
    void sessionOfOneServerIsTakenByAllUntilItIsEndedAtAnother() throws Exception {
        TalosEndpoint admin = cluster.endpoint("one");
        String keys = "{\"accessKey\":\"" + admin.accessKey() + "\",\"secretKey\":\"" + admin.secretKey() + "\"}";
        HttpResponse<String> begun = session("one", "POST", "", keys);
        String cookie = begun.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        for (String id : TestCluster.IDS) {
            assertThat(session(id, "GET", cookie, "").statusCode()).as(id).isEqualTo(200);
        }

        assertThat(cluster.rest("two", "DELETE", "/v1/session?everywhere=true", "")
                        .statusCode())
                .isEqualTo(204);

        assertThat(session("two", "GET", cookie, "").statusCode()).isEqualTo(204);
        await().atMost(Duration.ofSeconds(20)) // twice hbase.cacheAge
                .untilAsserted(() -> {
                    for (String id : TestCluster.IDS) {
                        assertThat(session(id, "GET", cookie, "").statusCode())
                                .as(id)
                                .isEqualTo(204);
                    }
                });
    }

    private HttpResponse<String> session(String id, String method, String cookie, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        cluster.endpoint(id).uri().resolve("/v1/session"))
                .method(method, BodyPublishers.ofString(body));
        return HttpClient.newHttpClient()
                .send(
                        (cookie.isEmpty() ? request : request.header("Cookie", cookie)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
