// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.LastReset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.group.PartitionLock;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.metadata.rows.quota.OrgQuotaRecord;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.metadata.rows.topic.SubResource;
import org.talos.server.metadata.rows.topic.TopicGroupRecord;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.user.EndedSessions;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;

final class RecordCodecTest {
    private static final RowKey KEY = RowKey.table('t').and("k");

    /** One of each kind, with every field set to something that is not its default. */
    private static final List<Object> EXAMPLES = List.of(
            new StoreIdentity.GenerationRow.GenerationRecord(7),
            new TopicRecord(
                    "orders",
                    Records.topicId(1),
                    "CL8888",
                    8,
                    4,
                    86_400,
                    Map.of("color", "red"),
                    Map.of("CI2", 6, "CI1", 5),
                    1_700_000_000_000L,
                    1_700_000_060_000L,
                    "charge-1",
                    "Ada",
                    List.of(new SubResource("CL9", "CI9"))),
            new DeletedTopic(Records.topicId(1), "orders", 8),
            new PartitionRecord(
                    3,
                    "00000000000000a1",
                    100,
                    List.of(
                            SegmentRecord.planned(0, 1).seal(250, 4096, 1_700_000_000_000L),
                            SegmentRecord.planned(250, 3).made(),
                            SegmentRecord.planned(300, 3))),
            new PartitionRecord(
                    4,
                    "00000000000000a1",
                    100,
                    120,
                    List.of(SegmentRecord.planned(100, 1).seal(250, 4096, 1_700_000_000_000L))),
            new GroupRecord(
                    "ada",
                    Map.of("CI9", GroupRecord.Right.READ),
                    Map.of("10_0_0_1-w1", new GroupRecord.Worker(1_700_000_000_000L, "ada")),
                    Map.of(0, new PartitionLock("10_0_0_1-w1", 1_700_000_030_000L))),
            new CommittedOffset(249, "10_0_0_1-w1", 1_700_000_000_000L),
            new StoreIdentity.IdentityRecord("0123456789abcdef0123456789abcdef"),
            new QuotaRecord(1_000_000_000_000L, 20, 40_000, -1, 52_428_800L, -1),
            new OrgQuotaRecord(64, 128, "growth", "Shop"),
            new TopicGroupRecord("shops", "CL9", "shop-.*", List.of(), List.of("shop-x")),
            new EndedSessions(3, Map.of("3q2-7wABAgMEBQYHCAkKCw", 1_700_043_200_000L)),
            new UserRecord(
                    "ada",
                    "AKEXAMPLE00000000001",
                    "v1:c2VjcmV0",
                    true,
                    false,
                    List.of("CL9"),
                    List.of("CI9"),
                    1_700_000_000_000L),
            new UserRecord(
                    "ann",
                    "TKEXAMPLE00000000002",
                    "v1:c2VjcmV0",
                    false,
                    false,
                    List.of(),
                    List.of(),
                    1_700_000_000_000L,
                    new UserRecord.OldKey("TKEXAMPLE00000000001", "v1:b2xk", 1_700_003_600_000L)),
            new LastReset("ada", 1_700_000_000_000L, "latest", Map.of(0, 249L, 1, LastReset.NEVER)));

    private static final Map<Class<?>, RowFormat> CHANGED = Map.of(
            PartitionRecord.class,
            Partitions.FORMAT,
            GroupRecord.class,
            Groups.FORMAT,
            LastReset.class,
            Offsets.RESETS,
            UserRecord.class,
            Users.FORMAT);

    private static <T> RecordCodec<T> codec(Class<T> type) {
        return new RecordCodec<>(type, CHANGED.getOrDefault(type, RowFormat.FIRST));
    }

    @Test
    void everyRecordComesBackAsItWas() throws Exception {
        for (Object example : EXAMPLES) {
            assertThat(decoded(example, example.getClass())).isEqualTo(example);
        }
    }

    private static <T> Object decoded(Object example, Class<T> type) throws MetadataException {
        RecordCodec<T> codec = codec(type);
        return codec.decode(new Row(KEY, 5, codec.encode(type.cast(example)))).value();
    }

    @Test
    void userOfOneKeyIsWrittenForServersThatKnowNoOther() throws Exception {
        UserRecord one = new UserRecord("ada", "AK1", "v1:x", false, false, List.of(), List.of(), 1);
        UserRecord two = one.withKey("AK2", "v1:y", new UserRecord.OldKey("AK1", "v1:x", 9));

        assertThat(json(one, UserRecord.class)).startsWith("{\"v\":1,").doesNotContain("oldKey");
        assertThat(json(two, UserRecord.class)).startsWith("{\"v\":2,").contains("oldKey");
        assertThat(two.toString() + two.oldKey()).doesNotContain("v1:");
    }

    @Test
    void partitionThatIsReadFromItsStartIsWrittenForServersThatKnowNoOther() throws Exception {
        PartitionRecord all = new PartitionRecord(3, "a1", 100, List.of());

        assertThat(json(all, PartitionRecord.class)).startsWith("{\"v\":3,").doesNotContain("readableFrom");
        assertThat(json(all.from(120), PartitionRecord.class))
                .startsWith("{\"v\":4,")
                .contains("\"readableFrom\":120");
        assertThat(all.from(120).from(110)).isEqualTo(all.from(120));
        assertThat(all.from(120).with(130, List.of()).readableFrom()).isEqualTo(130);
    }

    @Test
    void rowOfTheFormBeforeIsRead() throws Exception {
        byte[] before = "{\"v\":1,\"epoch\":3,\"startOffset\":100,\"segments\":[]}".getBytes(UTF_8);

        assertThat(codec(PartitionRecord.class).decode(new Row(KEY, 5, before)).value())
                .isEqualTo(new PartitionRecord(3, "", 100, List.of()));
    }

    @Test
    void groupOfTheFormBeforeIsNobodysAndItsWorkersToo() throws Exception {
        String before = "{\"v\":1,\"workers\":{\"w\":7},\"locks\":{\"0\":{\"workerId\":\"w\",\"expiresAt\":9}}}";

        assertThat(codec(GroupRecord.class)
                        .decode(new Row(KEY, 5, before.getBytes(UTF_8)))
                        .value())
                .isEqualTo(new GroupRecord(
                        "",
                        Map.of(),
                        Map.of("w", new GroupRecord.Worker(7, "")),
                        Map.of(0, new PartitionLock("w", 9))));
    }

    @Test
    void resetOfTheFormBeforeHasNoTarget() throws Exception {
        String before = "{\"v\":1,\"user\":\"ada\",\"timestamp\":7,\"before\":{\"0\":249}}";

        assertThat(codec(LastReset.class)
                        .decode(new Row(KEY, 5, before.getBytes(UTF_8)))
                        .value())
                .isEqualTo(new LastReset("ada", 7, "", Map.of(0, 249L)));
    }

    @Test
    void segmentsOfTheFormBeforeAreSealedOrOfUnknownState() throws Exception {
        String sealed = "{\"baseOffset\":0,\"epoch\":1,\"sealed\":true,\"endOffset\":250,\"bytes\":4096,"
                + "\"lastAppendTimestamp\":7}";
        String open = "{\"baseOffset\":250,\"epoch\":3,\"sealed\":false,\"endOffset\":0,\"bytes\":0,"
                + "\"lastAppendTimestamp\":0}";
        String before =
                "{\"v\":2,\"epoch\":3,\"owner\":\"a1\",\"startOffset\":0,\"segments\":[" + sealed + "," + open + "]}";

        assertThat(codec(PartitionRecord.class)
                        .decode(new Row(KEY, 5, before.getBytes(UTF_8)))
                        .value()
                        .segments())
                .containsExactly(
                        SegmentRecord.planned(0, 1).seal(250, 4096, 7),
                        new SegmentRecord(250, 3, SegmentRecord.State.OPEN, 0, 0, 0));
    }

    @Test
    void theDocumentShowsTheBytes() throws IOException {
        String document = Files.readString(Path.of(System.getProperty("talos.root"), "docs", "formats", "metadata.md"));

        for (Object example : EXAMPLES) {
            assertThat(document).contains(json(example, example.getClass()));
        }
    }

    private static <T> String json(Object example, Class<T> type) {
        return new String(codec(type).encode(type.cast(example)), UTF_8);
    }

    @Test
    void absentNamesOfATopicComeBackAbsent() throws Exception {
        TopicRecord topic = Records.topic("orders", 1);

        assertThat(decoded(topic, TopicRecord.class)).isEqualTo(topic);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"v\":2,\"offset\":1,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"offset\":1,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":\"1\",\"offset\":1,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"offset\":1,\"workerId\":\"w\",\"timestamp\":2,\"epoch\":3}"
            })
    void otherVersionsAndUnknownFieldsAreRefusedByName(String json) {
        assertThatThrownBy(() -> offset(json)).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_FORMAT);
            assertThat(e).hasMessageContaining("row t/k, a CommittedOffset").hasMessageMatching(".*(version|epoch).*");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{\"v\":1",
                "{\"v\":1,\"offset\":1,\"workerId\":\"w\",\"timestamp\":2} x",
                "{\"v\":1,\"offset\":1,\"offset\":2,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"offset\":null,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"offset\":1.5,\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"offset\":\"1\",\"workerId\":\"w\",\"timestamp\":2}",
                "{\"v\":1,\"offset\":1,\"workerId\":null,\"timestamp\":2}"
            })
    void damagedRowsAreRefused(String json) {
        assertThatThrownBy(() -> offset(json))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
    }

    private static CommittedOffset offset(String json) throws MetadataException {
        return codec(CommittedOffset.class)
                .decode(new Row(KEY, 1, json.getBytes(UTF_8)))
                .value();
    }
}
