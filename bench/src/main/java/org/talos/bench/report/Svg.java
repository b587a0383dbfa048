// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.talos.bench.report.Text.format;

import java.util.List;
import java.util.Locale;

/**
 * A picture as SVG text, with letters as letters, so that it can be searched and needs no fonts here. Confined: a
 * chart.
 */
final class Svg {
    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                        + "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">",
                width, height, width, height);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>");
    }

    /** Anchored at its start, middle or end. */
    void text(double x, double y, String anchor, String attributes, String words) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>", x, y, anchor, attributes, escaped(words));
    }

    void line(double x1, double y1, double x2, double y2, String color) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>", x1, y1, x2, y2, color);
    }

    /** A filled area that says what it is when it is pointed at. */
    void rectangle(double x, double y, double width, double height, String color, String tip) {
        add(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>",
                x, y, width, height, color, escaped(tip));
    }

    void dot(double x, double y, String color, String tip) {
        add(
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s</title></circle>",
                x, y, color, escaped(tip));
    }

    /** Through all points, which are places in the picture. */
    void path(List<ChartPoint> points, String color, String dashes) {
        StringBuilder places = new StringBuilder();
        points.forEach(point -> places.append(format("%.1f,%.1f ", point.x(), point.y())));
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>",
                places.toString().strip(), color, dashes);
    }

    /** The whole file; nothing is drawn after it. */
    String finished() {
        return text + "</svg>\n";
    }

    private void add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
