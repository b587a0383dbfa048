// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every map and set that is kept in a field and has keys that clients may choose, directly or by what they create, is
 * listed here with what bounds it. A new one fails the build until somebody has thought about its bound.
 */
class ClientKeyedMapsTest {
    private static final Pattern FIELD = Pattern.compile("(?m)^ {4,8}private (?:static )?final (?:\\w*Map|Set|Cache)"
            + "<(?:String|InetAddress|LogId|SegmentName|Path|Subject|Key|Id|End)\\b[^;={]*? (\\w+) ="
            + "\\s*(?:new |ConcurrentHashMap\\.|Caffeine)");
    /** Their keys are servers, nodes, and settings; what they have of topics goes with the topics' nodes. */
    private static final List<String> WITHOUT_CLIENTS = List.of("boot", "cluster", "config", "frontend", "hadoop");

    private static final String ROWS = "one for each stored row";
    private static final String UNDER_WAY = "removed when nothing of the key is under way";
    private static final String ONE_USE = "lives as long as one request, one start, or one session of this server";
    private static final String FIXED = "names in the code, servers, or files of the build";
    private static final String OWNED =
            "partitions and segments of this server; removed when they are closed or deleted";
    private static final String NUMBER = "a fixed number, beyond which the oldest goes";

    private static final Map<String, String> BOUNDS = Map.ofEntries(
            entry("KeyTable.byKey", ROWS),
            entry("KeyTable.byUser", ROWS),
            entry("TopicDirectory.byName", ROWS),
            entry("TopicDirectory.abridged", ROWS),
            entry("TopicDirectory.byId", ROWS),
            entry("TopicDirectory.byResourceName", ROWS),
            entry("TopicsWithoutRoom.byName", "an eighth of the heap"),
            entry("TopicsWithoutRoom.byId", "an eighth of the heap"),
            entry("Quotas.users", ROWS),
            entry("Quotas.topics", ROWS),
            entry("Quotas.orgs", ROWS),
            entry("QuotaGate.users", "users with a quota; swept each second"),
            entry("QuotaGate.topics", "topics with a quota; swept each second"),
            entry("OthersBounds.known", "topics that exist; replaced with each refresh"),
            entry("TopicFigures.topics", "topics that exist; each round forgets the others"),
            entry("GroupIndex.topics", "a part of the heap; lives as long as they are read"),
            entry("GroupIndex.entries", "a part of the heap; lives as long as they are read"),
            entry("GroupIndex.removed", "MOST_REMOVED; swept by each reading"),
            entry("AppendQueue.ofLogs", "lives as long as one batch is gathered"),
            entry("AppendQueue.ofTopics", "lives as long as one batch is gathered"),
            entry("GroupMembership.workers", ONE_USE),
            entry("GroupMembership.users", ONE_USE),
            entry("GroupMembership.ahead", ONE_USE),
            entry("RememberedGroup.ends", "groups in RememberedGroups, a part of the heap"),
            entry("SegmentDeletions.failed", "segments of one log whose deletion failed; tried again in each round"),
            entry("SegmentFile.abandoned", "parts of one segment"),
            entry("Hdfs.abandoned", "files whose write failed; leaves when one is closed and synced, or gone"),
            entry("ReopenedFiles.inUse", "files that threads of the store sync or cut at this moment"),
            entry("StoredFigures.growths", "topics in metrics.topics, metrics.maxTopics at most"),
            entry("MemoryBudget.held", UNDER_WAY),
            entry("WaitingRequests.byUser", UNDER_WAY),
            entry("RecordSchemas.named", FIXED),
            entry("OpenStreams.byUser", UNDER_WAY),
            entry("FairQueue.flows", "users with work that waits or runs, or with debts while others wait"),
            entry("AddressConnectionLimit.counts", UNDER_WAY),
            entry("NetworkTurnover.counts", UNDER_WAY),
            entry("UserTurns.waiting", UNDER_WAY),
            entry("AwaitedEnds.waiting", UNDER_WAY),
            entry("TopicDeletions.sweeping", UNDER_WAY),
            entry("NameLocks.locks", UNDER_WAY),
            entry("JsonObject.asked", ONE_USE),
            entry("LocalReplay.touched", ONE_USE),
            entry("LocalReplay.gone", ONE_USE),
            entry("LocalReplay.ends", ONE_USE),
            entry("Session.segments", ONE_USE),
            entry("StaticSite.CONTENTS", FIXED),
            entry("StaticSite.pages", FIXED),
            entry("RequestHeaders.OF_FORM", FIXED),
            entry("Metrics.described", FIXED),
            entry("TransferMetrics.hosts", FIXED),
            entry("Transfer.hosts", FIXED),
            entry("Readiness.checks", FIXED),
            entry("Readiness.warnings", FIXED),
            entry("Readiness.ends", FIXED),
            entry("PartitionOpener.waiting", OWNED),
            entry("PartitionManager.partitions", OWNED),
            entry("PartitionManager.following", OWNED),
            entry("JournaledSegmentStore.writing", OWNED),
            entry("Directories.durable", OWNED),
            entry("KeptSegments.names", OWNED),
            entry("KeptSegments.begun", OWNED),
            entry("RecoveredParts.open", NUMBER),
            entry("RecoveredParts.ends", ONE_USE),
            entry("RecoveredParts.unwanted", ONE_USE),
            entry("HdfsSegmentFiles.chains", NUMBER),
            entry("HdfsSegmentFiles.known", NUMBER),
            entry("ReadStreams.streams", NUMBER),
            entry("FailedKeys.buckets", NUMBER),
            entry("RowWrites.users", NUMBER),
            entry("WatchedHistories.watched", NUMBER),
            entry("UnreadableBlocks.known", NUMBER),
            entry("PutRates.topics", NUMBER),
            entry("ForwardedPuts.puts", NUMBER),
            entry("ForwardedPuts.byUser", "users of ForwardedPuts.puts"),
            entry("RefusalLog.nextOf", NUMBER));

    @Test
    void mapsWithKeysOfClientsAreListedWithTheirBounds() throws IOException {
        Path root = Path.of(System.getProperty("talos.root"), "talos-server/src/main/java/org/talos/server");
        TreeSet<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(".java"))::iterator) {
                if (!WITHOUT_CLIENTS.contains(root.relativize(file).getName(0).toString())) {
                    String type = file.getFileName().toString().replace(".java", "");
                    FIELD.matcher(Files.readString(file))
                            .results()
                            .map((MatchResult field) -> type + "." + field.group(1))
                            .forEach(found::add);
                }
            }
        }

        assertThat(found).containsExactlyElementsOf(new TreeSet<>(BOUNDS.keySet()));
    }
}
