// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.util.List;
import org.talos.bench.load.MeasuredServer;
import org.talos.client.admin.TopicDescription;

/** A server and where it keeps its logs. Implementations are confined to one run. */
interface Site extends AutoCloseable {
    /** The server. */
    MeasuredServer server();

    /** The files of each partition's segments, from its first message on. */
    List<List<BareFile>> files(TopicDescription topic) throws IOException;

    /** Processor seconds that the store's own daemons have used; NaN if there are none, or others start them. */
    double daemonSeconds();

    /** Ends the server; nothing of it is left. */
    @Override
    void close() throws IOException;

    /** The path of a partition's segments in the directory of either store (docs/formats). */
    static String segments(TopicDescription topic, int partition) {
        String resource = topic.resourceName();
        return "segments/" + resource.substring(resource.lastIndexOf('#') + 1) + "/" + partition;
    }

    /** Whether a file of such a path has messages; its name begins with the first of them. */
    static boolean isSegment(String name) {
        return name.endsWith(".log");
    }
}
