// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.thrift.TEnum;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.TFieldRequirementType;
import org.apache.thrift.meta_data.EnumMetaData;
import org.apache.thrift.meta_data.FieldMetaData;
import org.apache.thrift.meta_data.FieldValueMetaData;
import org.apache.thrift.meta_data.ListMetaData;
import org.apache.thrift.meta_data.StructMetaData;
import org.apache.thrift.protocol.TType;
import org.junit.jupiter.api.Test;

/** The committed Java is what transfer.thrift says; talos-server/generate.sh makes it. */
class GeneratedStructsTest {
    private static final String PACKAGE = "org.talos.server.transfer.wire.generated";
    private static final Path MODULE = Path.of(System.getProperty("talos.root"), "talos-server");
    private static final Pattern BLOCK = Pattern.compile("(struct|enum) (\\w+) \\{(.*?)}", Pattern.DOTALL);
    private static final Pattern FIELD = Pattern.compile("(\\d+): (required|optional) ([\\w.<>]+) (\\w+)");
    private static final Pattern VALUE = Pattern.compile("(\\w+) = (\\d+)");

    /** Each type of the IDL with its fields or values, a line each. */
    private static Map<String, Set<String>> idl() throws IOException {
        String text = Files.readString(MODULE.resolve("src/main/thrift/transfer.thrift"));
        Map<String, Set<String>> types = new TreeMap<>();
        for (Matcher block = BLOCK.matcher(text); block.find(); ) {
            Set<String> lines = new TreeSet<>();
            boolean struct = block.group(1).equals("struct");
            for (Matcher line = (struct ? FIELD : VALUE).matcher(block.group(3)); line.find(); ) {
                lines.add(line.group().replace("common.", ""));
            }
            types.put(block.group(2), lines);
        }
        return types;
    }

    @Test
    void committedJavaIsTheIdl() throws Exception {
        Map<String, Set<String>> generated = new TreeMap<>();
        try (Stream<Path> files = Files.list(MODULE.resolve("src/generated/java/" + PACKAGE.replace('.', '/')))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                Class<?> type = Class.forName(PACKAGE + "." + name);
                generated.put(name, type.isEnum() ? values(type) : fields(type));
            }
        }

        assertThat(generated).hasSizeGreaterThan(10).isEqualTo(idl());
    }

    private static Set<String> values(Class<?> type) {
        return Stream.of(type.getEnumConstants())
                .map(each -> each + " = " + ((TEnum) each).getValue())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> fields(Class<?> type) throws ReflectiveOperationException {
        Map<?, ?> metadata = (Map<?, ?>) type.getField("metaDataMap").get(null);
        Set<String> lines = new TreeSet<>();
        metadata.forEach((id, data) -> lines.add(line((TFieldIdEnum) id, (FieldMetaData) data)));
        return lines;
    }

    private static String line(TFieldIdEnum id, FieldMetaData data) {
        String requirement = data.requirementType == TFieldRequirementType.REQUIRED ? "required" : "optional";
        return id.getThriftFieldId() + ": " + requirement + " " + typeOf(data.valueMetaData) + " " + data.fieldName;
    }

    private static String typeOf(FieldValueMetaData value) {
        if (value instanceof ListMetaData list) {
            return "list<" + typeOf(list.elemMetaData) + ">";
        }
        if (value instanceof StructMetaData struct) {
            return struct.structClass.getSimpleName();
        }
        if (value instanceof EnumMetaData constant) {
            return constant.enumClass.getSimpleName();
        }
        return switch (value.type) {
            case TType.BOOL -> "bool";
            case TType.I32 -> "i32";
            case TType.I64 -> "i64";
            case TType.STRING -> value.isBinary() ? "binary" : "string";
            default -> "type " + value.type;
        };
    }
}
