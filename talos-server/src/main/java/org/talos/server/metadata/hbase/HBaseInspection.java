// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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
import org.talos.server.runtime.Ticker;

/**
 * Looks whether a server can keep its metadata in this HBase, and which rows there are.
 *
 * <p>Confined: whoever looks. Every call blocks.
 */
public final class HBaseInspection implements AutoCloseable {
    private static final Duration CLOCK_OFFSET = Duration.ofSeconds(30); // beyond it HBase's master turns servers away
    private static final int PAGE = 500;
    private static final int MOST = 1_000_000;
    /** What the tables of docs/formats/metadata.md hold. */
    private static final Map<Character, String> TABLES = Map.of(
            't', "topics",
            'd', "deleted topics",
            'p', "partitions",
            'g', "groups",
            'o', "offsets",
            'q', "quotas",
            'n', "orgs",
            'c', "topic groups",
            'h', "health",
            'u', "users");

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
     * @throws IOException the client files can't be read
     * @throws MetadataException the cluster can't be reached
     */
    public static HBaseInspection open(HBaseConfig config, InstantSource clock, Ticker ticker)
            throws IOException, MetadataException {
        return new HBaseInspection(
                HBaseTable.connect(ClientConfiguration.hbase(config), config, ticker), clock, ticker);
    }

    /**
     * Adds all that is to be said.
     *
     * @param rows is given the rows
     * @return whether they could be read
     */
    public boolean inspect(Report findings, Inventory rows) {
        boolean there = findings.look(
                "table",
                "bin/talos init --config FILE makes it; or the ZooKeeper of hbase-site.xml is not HBase's",
                found -> {
                    table.check();
                    found.ok("table", "there, of this version's format");
                });
        if (!there) {
            return false;
        }
        findings.look("HBase", "is there a master?", this::cluster);
        return findings.look("rows", "the servers' user needs RWXCA on the table", found -> rows(found, rows));
    }

    private void cluster(Report findings) throws MetadataException {
        HBaseTable.Facts facts = table.facts();
        findings.ok(
                "HBase",
                "client=" + VersionInfo.getVersion() + " servers=" + facts.version() + " region servers="
                        + facts.servers() + " regions of the table=" + facts.regions());
        for (String problem : facts.problems()) {
            findings.warn("table", problem, "alter it in the HBase shell");
        }
        facts.reportedAt().ifPresent(reported -> clockOffset(reported, findings));
    }

    /** A region server tells the master its time every few seconds. */
    private void clockOffset(Instant reported, Report findings) {
        Duration offset = Duration.between(reported, clock.instant()).abs();
        String detail = "the region servers' are off by less than " + (offset.toSeconds() + 1) + " s";
        if (offset.compareTo(CLOCK_OFFSET) > 0) {
            findings.warn("clock", detail, "or none has reported to the master for so long: run NTP on all machines");
        } else {
            findings.ok("clock", detail);
        }
    }

    private void rows(Report findings, Inventory rows) throws MetadataException {
        MetadataMetrics unseen = new MetadataMetrics(new Metrics(ticker));
        try (MetadataStore store = HBaseMetadataStore.open(table, ticker, clock, unseen)) {
            String failure = new MetadataProbe(store).failure().orElse("");
            if (!failure.isEmpty()) {
                throw new IllegalStateException(failure);
            }
            for (char letter = 'a'; letter <= 'z'; letter++) {
                read(store, RowKey.table(letter), letter + " " + TABLES.getOrDefault(letter, "not known"), rows);
            }
        }
        findings.ok("rows", "read and written");
    }

    private static void read(MetadataStore store, RowKey prefix, String kind, Inventory rows) throws MetadataException {
        List<Row> page = store.scan(prefix, PAGE);
        while (!page.isEmpty()) {
            if (rows.count() >= MOST) {
                rows.cut();
                return;
            }
            for (Row row : page) {
                String key = row.key().toString();
                rows.add(
                        kind, new Inventory.Item(key, row.value().length, "%8d %s".formatted(row.value().length, key)));
            }
            page = store.scanAfter(prefix, page.get(page.size() - 1).key(), PAGE);
        }
    }

    /** May be called after the rows were read, whose store has closed the connection. */
    @Override
    public void close() {
        table.close();
    }
}
