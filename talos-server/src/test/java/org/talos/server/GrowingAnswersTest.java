// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every answer of the contract that has a list, set, or map is listed here with what bounds it. A new one fails the
 * build until somebody has thought about its memory.
 */
class GrowingAnswersTest {
    private static final Pattern CONTAINER = Pattern.compile("new org\\.apache\\.thrift\\.meta_data\\.(List|Set|Map)");
    private static final Pattern RESERVES =
            Pattern.compile("memory(\\(\\))?\\s*\\.reserve\\(|(context|caller)\\.memory\\(\\)");

    /** Grows with what clients have stored: memory is reserved before the rows are read and the answer is built. */
    private static final String RESERVED = "reserved";

    private static final String DESCRIBED = "made of a description, for which GroupViews reserves memory";
    private static final String MESSAGES = "messages, which have memory of their own";
    private static final String REQUEST = "no more than the request has, or one for each partition of one topic";
    private static final String NOT_BUILT = "no call of this server answers it";

    private static final Map<String, String> BOUNDS = Map.ofEntries(
            entry("ApproveQuotaResponse", RESERVED),
            entry("DescribeGroupResponse", DESCRIBED),
            entry("DescribeTopicGroupResponse", RESERVED),
            entry("DescribeTopicResponse", RESERVED),
            entry("GetTopicAttributeResponse", RESERVED),
            entry("GetTopicConsumeUnitResponse", RESERVED),
            entry("ListPendingQuotaResponse", RESERVED),
            entry("ListPermissionResponse", RESERVED),
            entry("ListQuotaResponse", RESERVED),
            entry("ListTopicGroupResponse", RESERVED),
            entry("ListTopicsInfoResponse", RESERVED),
            entry("ListTopicsResponse", RESERVED),
            entry("ListUserQuotaResponse", RESERVED),
            entry("ListUsersResponse", RESERVED),
            entry("LookupTopicsResponse", RESERVED),
            entry("MatchTopicsResponse", RESERVED),
            entry("QueryConsumerGroupResponse", RESERVED),
            entry("QueryOrgOffsetResponse", RESERVED),
            entry("QueryTopicConsumeUnitResponse", RESERVED),
            entry("QueryWorkerResponse", RESERVED),
            entry("RevokeQuotaResponse", RESERVED),
            entry("TopicsQueryWorkerResponse", RESERVED),
            entry("GetDataPreviewResponse", MESSAGES),
            entry("GetMessageResponse", MESSAGES),
            entry("AddUserResponse", REQUEST),
            entry("CreateTopicGroupResponse", REQUEST),
            entry("GetCheckpointResponse", REQUEST),
            entry("GetPartitionsOffsetResponse", REQUEST),
            entry("GetScheduleInfoResponse", REQUEST),
            entry("GetTopicOffsetResponse", REQUEST),
            entry("LockPartitionResponse", REQUEST),
            entry("RenewResponse", REQUEST),
            entry("ResetGroupResponse", REQUEST),
            entry("TopicsRenewResponse", REQUEST),
            entry("GetUnkownStateTransactionResponse", NOT_BUILT));

    private static Path root() {
        return Path.of(System.getProperty("talos.root"));
    }

    private static boolean hasContainer(String type) throws IOException {
        Path file = root().resolve("talos-common/src/generated/java/org/talos/thrift/" + type + ".java");
        String text = Files.exists(file) ? Files.readString(file) : "";
        return CONTAINER.matcher(text).find();
    }

    /** Returns whether the type, or one of its structs, has a container. */
    private static boolean grows(Path response) throws IOException {
        List<String> types = new ArrayList<>();
        Pattern.compile("StructMetaData\\([^,]+, (\\w+)\\.class\\)")
                .matcher(Files.readString(response))
                .results()
                .forEach(struct -> types.add(struct.group(1)));
        types.add(response.getFileName().toString().replace(".java", ""));
        for (String type : types) {
            if (hasContainer(type)) {
                return true;
            }
        }
        return false;
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }

    @Test
    void answersWithContainersAreListedWithTheirBounds() throws IOException {
        TreeSet<String> found = new TreeSet<>();
        for (Path file : files(root().resolve("talos-common/src/generated/java/org/talos/thrift"), "Response.java")) {
            if (grows(file)) {
                found.add(file.getFileName().toString().replace(".java", ""));
            }
        }

        assertThat(found).containsExactlyElementsOf(new TreeSet<>(BOUNDS.keySet()));
    }

    @Test
    void answersThatGrowWithStoredRowsAreMadeWhereMemoryIsReserved() throws IOException {
        TreeSet<String> made = new TreeSet<>();
        for (Path file : files(root().resolve("talos-server/src/main/java/org/talos/server/service"), ".java")) {
            String text = Files.readString(file);
            if (RESERVES.matcher(text).find()) {
                BOUNDS.keySet().stream()
                        .filter(type -> text.contains("new " + type + "("))
                        .forEach(made::add);
            }
        }

        assertThat(made)
                .containsAll(BOUNDS.entrySet().stream()
                        .filter(each -> each.getValue().equals(RESERVED))
                        .map(Map.Entry::getKey)
                        .toList());
    }
}
