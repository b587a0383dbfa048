// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.talos.server.config.HBaseConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.Report;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataProbe;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.Ticker;

/**
 * Checks whether a server can keep its metadata in this HBase, and lists the rows.
 *
 * <p>Confined: the calling thread. Every call blocks.
 */
public final class HBaseInspection implements AutoCloseable {
    private static final Duration CLOCK_OFFSET =
            Duration.ofSeconds(30); // beyond it HBase's master refuses region servers
    private static final int PAGE = 500;
    private static final int MOST = 1_000_000;
    /** The tables of docs/formats/metadata.md. */
    private static final Map<Character, String> TABLES = Map.ofEntries(
            Map.entry('t', "topics"),
            Map.entry('d', "deleted topics"),
            Map.entry('p', "partitions"),
            Map.entry('g', "groups"),
            Map.entry('o', "offsets"),
            Map.entry('q', "quotas"),
            Map.entry('n', "orgs"),
            Map.entry('c', "topic groups"),
            Map.entry('h', "health"),
            Map.entry('i', "identity"),
            Map.entry('k', "keys"),
            Map.entry('r', "resets"),
            Map.entry('s', "ended sessions"),
            Map.entry('u', "users"));

    private final HBaseTable table;
    private final InstantSource clock;
    private final Ticker ticker;

    private HBaseInspection(HBaseTable table, InstantSource clock, Ticker ticker) {
        this.table = table;
        this.clock = clock;
        this.ticker = ticker;
    }

    /**
     * Connects.
     *
     * @throws IOException the client files cannot be read
     * @throws MetadataException the cluster cannot be reached
     */
    public static HBaseInspection open(HBaseConfig config, InstantSource clock, Ticker ticker)
            throws IOException, MetadataException {
        return new HBaseInspection(
                HBaseTable.connect(ClientConfiguration.hbase(config), config, ticker), clock, ticker);
    }

    /**
     * Runs all checks.
     *
     * @param report receives their results
     * @param rows receives the rows
     * @return whether the rows could be read
     */
    public boolean inspect(Report report, Inventory rows) {
        boolean exists = report.check(
                "table",
                "bin/talos init --config FILE makes it; or the ZooKeeper of hbase-site.xml is not HBase's",
                each -> {
                    table.check();
                    each.ok("table", "there, of this version's format");
                });
        if (!exists) {
            return false;
        }
        report.check("HBase", "is there a master?", this::cluster);
        return report.check("rows", "the servers' user needs RWXCA on the table", each -> rows(each, rows));
    }

    private void cluster(Report report) throws MetadataException {
        HBaseTable.TableState facts = table.facts();
        report.ok(
                "HBase",
                "client=" + VersionInfo.getVersion() + " servers=" + facts.version() + " region servers="
                        + facts.servers() + " regions of the table=" + facts.regions());
        for (String problem : facts.problems()) {
            report.warn("table", problem, "alter it in the HBase shell");
        }
        facts.reportedAt().ifPresent(reported -> clockOffset(reported, report));
    }

    /** Region servers report to the master, with their time, every few seconds. */
    private void clockOffset(Instant reported, Report report) {
        Duration offset = Duration.between(reported, clock.instant()).abs();
        String detail = "the region servers' are off by less than " + (offset.toSeconds() + 1) + " s";
        if (offset.compareTo(CLOCK_OFFSET) > 0) {
            report.warn("clock", detail, "or none has reported to the master for this time: run NTP on all machines");
        } else {
            report.ok("clock", detail);
        }
    }

    private void rows(Report report, Inventory rows) throws MetadataException {
        MetadataMetrics discarded = new MetadataMetrics(new Metrics(ticker));
        try (MetadataStore store = HBaseMetadataStore.open(table, ticker, clock, discarded)) {
            String failure = new MetadataProbe(store).failure().orElse("");
            if (!failure.isEmpty()) {
                throw new IllegalStateException(failure);
            }
            for (char letter = 'a'; letter <= 'z'; letter++) {
                read(store, RowKey.table(letter), letter + " " + TABLES.getOrDefault(letter, "not known"), rows);
            }
        }
        report.ok("rows", "read and written");
    }

    private static void read(MetadataStore store, RowKey prefix, String kind, Inventory rows) throws MetadataException {
        List<Row> page = store.scan(prefix, PAGE);
        while (!page.isEmpty()) {
            if (rows.count() >= MOST) {
                rows.truncate();
                return;
            }
            for (Row row : page) {
                String key = row.key().toString();
                rows.add(
                        kind,
                        new Inventory.Item(
                                key,
                                row.value().length,
                                String.format(Locale.ROOT, "%8d %s", row.value().length, key)));
            }
            page = store.scanAfter(prefix, page.get(page.size() - 1).key(), PAGE);
        }
    }

    /** Closes the connection; the store that reads the rows may have closed it before. */
    @Override
    public void close() {
        table.close();
    }
}
