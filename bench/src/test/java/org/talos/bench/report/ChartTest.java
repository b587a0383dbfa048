// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

@Timeout(30)
class ChartTest {
    private static final Pattern NO_NUMBER = Pattern.compile("NaN|Infinity");

    private static Document parsed(String svg) throws Exception {
        assertThat(svg).doesNotContainPattern(NO_NUMBER);
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static List<String> words(Document svg) {
        return texts(svg.getElementsByTagName("text"));
    }

    private static List<String> texts(NodeList nodes) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }

    @Test
    void barsHaveTheirNamesAndNumbersInTheOrderGiven() throws Exception {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        series.put("hash <1>", new TreeMap<>(Map.of("one client", 9_000.0, "two clients", 12_340.0)));
        series.put("affinity & more", new TreeMap<>(Map.of("one client", 11_000.0)));

        Document svg = parsed(Chart.ofBars("QPS of puts", "QPS", series));

        assertThat(words(svg))
                .contains("QPS of puts", "QPS", "one client", "two clients", "9000", "12.3k", "11k")
                .containsSubsequence("hash <1>", "affinity & more");
        assertThat(texts(svg.getElementsByTagName("title"))).contains("hash <1>, two clients: 12.3k");
    }

    @Test
    void barIsAsHighAsItsShareOfTheAxis() throws Exception {
        Document svg = parsed(Chart.ofBars("t", "y", Map.of("s", Map.of("a", 50.0, "b", 100.0))));

        Map<String, Double> heights = new TreeMap<>();
        NodeList bars = svg.getElementsByTagName("rect");
        for (int i = 0; i < bars.getLength(); i++) {
            var height = bars.item(i).getAttributes().getNamedItem("height").getNodeValue();
            heights.put(bars.item(i).getTextContent(), height.endsWith("%") ? 0 : Double.parseDouble(height));
        }
        assertThat(heights.getOrDefault("s, b: 100", 0.0) / heights.getOrDefault("s, a: 50", 0.0))
                .isBetween(1.99, 2.01);
    }

    @Test
    void lineFarApartIsLogarithmic() throws Exception {
        List<ChartPoint> wide = List.of(new ChartPoint(1_024, 4), new ChartPoint(33_554_432, 5));
        List<ChartPoint> narrow =
                List.of(new ChartPoint(20, 4), new ChartPoint(200, 5), new ChartPoint(210, Double.NaN));

        assertThat(words(parsed(Chart.ofLines("t", "bytes", "MB/s", Map.of("thrift", wide)))))
                .contains("thrift", "bytes", "MB/s", "1000", "10k", "100k", "1M", "10M", "100M");
        Document lines = parsed(Chart.ofLines("t", "threads", "ms", Map.of("hash", narrow)));
        assertThat(words(lines)).contains("0", "50", "100", "150", "200");
        assertThat(lines.getElementsByTagName("circle").getLength()).isEqualTo(2);
    }

    @Test
    void percentilesAreShownToTheLastMeasured() throws Exception {
        Histogram latency = new Histogram(3);
        Random random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            latency.recordValue((long) (4e6 + 1e6 * Math.abs(random.nextGaussian())));
        }

        List<String> words =
                words(parsed(Chart.ofPercentiles("put", Map.of("hash", latency, "none", new Histogram(3)))));

        assertThat(words).contains("put", "hash", "none", "50 %", "90 %", "99 %", "99.9 %", "99.99 %");
        assertThat(words).doesNotContain("99.999 %");
    }

    @Test
    void emptyChartsAreSoundToo() throws Exception {
        parsed(Chart.ofBars("t", "y", Map.of()));
        parsed(Chart.ofBars("t", "y", Map.of("s", Map.of("a", 0.0, "b", Double.NaN))));
        parsed(Chart.ofLines("t", "x", "y", Map.of("s", List.of())));
        parsed(Chart.ofPercentiles("t", Map.of()));
    }

    @Test
    void reportHoldsItsCharts(@TempDir Path home) throws Exception {
        RunReport report =
                RunReport.begin(Measures.context(home, new ByteArrayOutputStream()), "threads", new TreeMap<>());
        report.barChart("QPS by policy", "t", "y", Map.of("hash", Map.of("a", 1.0)));
        report.barChart("QPS by policy", "t", "y", Map.of("affinity", Map.of("a", 1.0)));
        report.lineChart("threads", "t", "x", "y", Map.of("hash", List.of(new ChartPoint(1, 1))));
        report.percentileChart("put", "t", Map.of("hash", new Histogram(3)));
        report.write();

        Path charts = report.folder().resolve("charts");
        assertThat(words(parsed(Files.readString(charts.resolve("QPS_by_policy.svg")))))
                .contains("affinity")
                .doesNotContain("hash");
        assertThat(charts.resolve("threads.svg")).isNotEmptyFile();
        assertThat(charts.resolve("put.svg")).isNotEmptyFile();
    }
}
