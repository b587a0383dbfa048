// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** A configuration file in Hadoop's XML format. Confined: the thread that builds it. */
final class SiteFile {
    private final Map<String, String> properties = new TreeMap<>();

    SiteFile set(String key, Object value) {
        properties.put(key, value.toString());
        return this;
    }

    void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
        properties.forEach((key, value) -> text.append("  <property><name>")
                .append(key)
                .append("</name><value>")
                .append(escaped(value))
                .append("</value></property>\n"));
        Files.writeString(file, text.append("</configuration>\n"));
    }

    private static String escaped(String value) {
        return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
