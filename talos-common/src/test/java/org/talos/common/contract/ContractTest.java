// SPDX-License-Identifier: Apache-2.0
package org.talos.common.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.thrift.TBase;
import org.apache.thrift.TEnum;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.TFieldRequirementType;
import org.apache.thrift.meta_data.EnumMetaData;
import org.apache.thrift.meta_data.FieldMetaData;
import org.apache.thrift.meta_data.FieldValueMetaData;
import org.apache.thrift.meta_data.ListMetaData;
import org.apache.thrift.meta_data.MapMetaData;
import org.apache.thrift.meta_data.SetMetaData;
import org.apache.thrift.meta_data.StructMetaData;
import org.apache.thrift.protocol.TType;
import org.junit.jupiter.api.Test;

/** Our IDL is the contract, and the committed Java is our IDL. */
class ContractTest {
    /** Optional fields of our own, with ids that the contract is far from: whoever does not know them skips them. */
    private static final Set<String> ADDED = Set.of(
            "Message.headers",
            "MessageBlock.traceparent",
            "GalaxyTalosException.effect",
            "CheckPoint.onlyForward",
            "UpdateOffsetResponse.lockLost",
            "QueryOffsetResponse.committed",
            "UnlockPartitionRequest.staysMember",
            "TopicsRenewResponse.recorded",
            "RevokeQuotaRequest.application");

    private static final Path IDL_FOLDER = Path.of(System.getProperty("talos.root"), "talos-common/src/main/thrift");
    private static final ObjectMapper JSON = new ObjectMapper();

    private int facts;

    private static JsonNode contract() throws IOException {
        try (var in = ContractTest.class.getResourceAsStream("/protocol/types.json")) {
            return JSON.readTree(in);
        }
    }

    @Test
    void idlIsTheContract() throws IOException {
        for (Map.Entry<String, JsonNode> entry : contract().properties()) {
            Idl idl = Idl.read(IDL_FOLDER.resolve(entry.getKey() + ".thrift"));
            JsonNode known = entry.getValue();
            compareEnums(idl, known.get("enums"));
            compareStructs(idl, known);
            compareServices(idl, known.get("services"));
            compareConstants(idl, known.get("constants"));
        }
        System.out.println("facts compared: IDL with the contract: " + facts);
        assertThat(facts).isGreaterThan(2_000);
    }

    private void compareEnums(Idl idl, JsonNode known) {
        assertThat(idl.enums().keySet()).containsExactlyInAnyOrderElementsOf(names(known));
        idl.enums().forEach((name, values) -> {
            Map<String, Integer> expected = new LinkedHashMap<>();
            known.get(name)
                    .properties()
                    .forEach(value ->
                            expected.put(value.getKey(), value.getValue().asInt()));
            assertThat(values).as(name).isEqualTo(expected);
            facts += values.size();
        });
    }

    private void compareStructs(Idl idl, JsonNode known) {
        assertThat(idl.structs().keySet()).containsExactlyInAnyOrderElementsOf(names(known.get("structs")));
        List<String> exceptions = new ArrayList<>();
        known.get("exceptions").forEach(name -> exceptions.add(name.asText()));
        assertThat(idl.exceptions()).containsExactlyInAnyOrderElementsOf(exceptions);
        idl.structs()
                .forEach((name, fields) ->
                        compareFields(name, fields, known.get("structs").get(name)));
        known.get("unusedFieldIds")
                .properties()
                .forEach(unused -> unused.getValue().forEach(id -> {
                    assertThat(idl.structs().get(unused.getKey())).noneMatch(field -> field.id() == id.asInt());
                    facts++;
                }));
    }

    private void compareFields(String owner, List<Idl.Field> all, JsonNode known) {
        List<Idl.Field> fields = all.stream()
                .filter(field -> !ADDED.contains(owner + "." + field.name()))
                .toList();
        assertThat(fields).as(owner).hasSize(known.size());
        for (int i = 0; i < known.size(); i++) {
            JsonNode expected = known.get(i);
            Idl.Field field = fields.get(i);
            assertThat(field.id()).as(owner).isEqualTo(expected.get("id").asInt());
            assertThat(field.name()).as(owner).isEqualTo(expected.get("name").asText());
            assertThat(field.type())
                    .as(owner + "." + field.name())
                    .isEqualTo(expected.get("type").asText());
            if (expected.has("requiredness")
                    && !expected.get("requiredness").asText().equals("default")) {
                assertThat(field.requiredness())
                        .as(owner + "." + field.name())
                        .isIn(expected.get("requiredness").asText(), "default");
            }
            assertThat(field.defaultText() == null ? null : unquoted(field.defaultText()))
                    .as(owner + "." + field.name())
                    .isEqualTo(expected.has("default") ? expected.get("default").asText() : null);
            facts += 5;
        }
    }

    private void compareServices(Idl idl, JsonNode known) {
        assertThat(idl.services().keySet()).containsExactlyInAnyOrderElementsOf(names(known));
        for (Map.Entry<String, JsonNode> service : known.properties()) {
            Idl.Service ours = idl.services().get(service.getKey());
            JsonNode parents = service.getValue().get("extends");
            assertThat(ours.parent())
                    .isEqualTo(parents.isEmpty() ? null : parents.get(0).asText());
            List<String> methods = new ArrayList<>();
            for (JsonNode method : service.getValue().get("methods")) {
                String name = method.get("name").asText();
                methods.add(name);
                Idl.Method mine = ours.methods().get(name);
                assertThat(mine).as(name).isNotNull();
                compareFields(name + " arguments", mine.arguments(), method.get("args"));
                compareFields(name + " errors", mine.errors(), method.get("throws"));
                String result = "void";
                for (JsonNode field : method.get("result")) {
                    result = field.get("id").asInt() == 0 ? field.get("type").asText() : result;
                }
                assertThat(mine.result()).as(name).isEqualTo(result);
                facts += 2;
            }
            assertThat(ours.methods().keySet()).containsExactlyInAnyOrderElementsOf(methods);
        }
    }

    private void compareConstants(Idl idl, JsonNode known) {
        assertThat(idl.constants().keySet()).containsExactlyInAnyOrderElementsOf(names(known));
        known.properties().forEach(constant -> {
            String ours = idl.constants().get(constant.getKey());
            JsonNode expected = constant.getValue();
            if (expected.isObject()) {
                Map<String, String> entries = new TreeMap<>();
                for (String entry : ours.substring(1, ours.length() - 1).split(", ", -1)) {
                    entries.put(entry.substring(0, entry.indexOf(':')), entry.substring(entry.indexOf(':') + 2));
                }
                Map<String, String> all = new TreeMap<>();
                expected.properties()
                        .forEach(each -> all.put(each.getKey(), each.getValue().asText()));
                assertThat(entries).as(constant.getKey()).isEqualTo(all);
                facts += all.size();
            } else {
                assertThat(ours.replace(" ", ""))
                        .as(constant.getKey())
                        .isEqualTo(expected.toString().replace(" ", ""));
                facts++;
            }
        });
    }

    /** All files of the IDL: the contract's, and the one of our own. */
    private static List<Idl> idls() throws IOException {
        List<String> packages = new ArrayList<>(names(contract()));
        packages.add("admin");
        List<Idl> idls = new ArrayList<>();
        for (String name : packages) {
            idls.add(Idl.read(IDL_FOLDER.resolve(name + ".thrift")));
        }
        return idls;
    }

    private static Set<String> withoutJava() throws IOException {
        try (Stream<String> lines = Files.lines(IDL_FOLDER.resolve("without-java.txt"))) {
            return lines.filter(line -> !line.startsWith("#")).collect(Collectors.toSet());
        }
    }

    @Test
    void committedJavaIsTheIdl() throws Exception {
        Set<String> withoutJava = withoutJava();
        for (Idl idl : idls()) {
            for (Map.Entry<String, Map<String, Integer>> each : idl.enums().entrySet()) {
                if (!withoutJava.contains(each.getKey())) {
                    compareGeneratedEnum(each.getKey(), each.getValue());
                }
            }
            for (Map.Entry<String, List<Idl.Field>> each : idl.structs().entrySet()) {
                if (!withoutJava.contains(each.getKey())) {
                    compareGeneratedStruct(each.getKey(), each.getValue());
                }
            }
        }
        System.out.println("facts compared: generated Java with the IDL: " + facts);
        assertThat(facts).isGreaterThan(1_000);
    }

    @Test
    void everyTypeOfACallHasItsJava() throws IOException {
        assertThat(Idl.typesOfCalls(idls())).hasSizeGreaterThan(100).doesNotContainAnyElementsOf(withoutJava());
    }

    @Test
    void javaOfTypesThatNoCallNamesIsNotCommitted() throws IOException {
        Path generated =
                IDL_FOLDER.resolveSibling("../generated/java/org/talos/thrift").normalize();
        assertThat(generated).isDirectory();
        assertThat(withoutJava())
                .isNotEmpty()
                .allSatisfy(
                        name -> assertThat(generated.resolve(name + ".java")).doesNotExist());
    }

    private void compareGeneratedEnum(String name, Map<String, Integer> values) throws ClassNotFoundException {
        Map<String, Integer> generated = new LinkedHashMap<>();
        for (Object constant : Class.forName("org.talos.thrift." + name).getEnumConstants()) {
            generated.put(((Enum<?>) constant).name(), ((TEnum) constant).getValue());
        }
        assertThat(generated).as(name).isEqualTo(values);
        facts += values.size();
    }

    private void compareGeneratedStruct(String name, List<Idl.Field> fields) throws Exception {
        Class<?> type = Class.forName("org.talos.thrift." + name);
        Map<?, ?> metadata = (Map<?, ?>) type.getField("metaDataMap").get(null);
        TBase<?, ?> empty = (TBase<?, ?>) type.getDeclaredConstructor().newInstance();
        Map<Integer, Idl.Field> byId = new TreeMap<>();
        fields.forEach(field -> byId.put(field.id(), field));
        assertThat(metadata).as(name).hasSize(fields.size());
        for (Map.Entry<?, ?> entry : metadata.entrySet()) {
            TFieldIdEnum id = (TFieldIdEnum) entry.getKey();
            FieldMetaData data = (FieldMetaData) entry.getValue();
            Idl.Field field = byId.get((int) id.getThriftFieldId());
            assertThat(field).as(name + " field " + id.getThriftFieldId()).isNotNull();
            assertThat(data.fieldName).isEqualTo(field.name());
            assertThat(requiredness(data)).as(name + "." + field.name()).isEqualTo(field.requiredness());
            assertThat(typeText(data.valueMetaData))
                    .as(name + "." + field.name())
                    .isEqualTo(field.type().replaceAll("\\w+\\.", ""));
            compareDefault(name, empty, field);
            facts += 4;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // a struct known only at run time
    private static void compareDefault(String name, TBase empty, Idl.Field field) {
        if (field.defaultText() != null) {
            Object value = empty.getFieldValue(empty.fieldForId(field.id()));
            String text =
                    value instanceof TEnum constant ? Integer.toString(constant.getValue()) : String.valueOf(value);
            assertThat(text).as(name + "." + field.name()).isEqualTo(unquoted(field.defaultText()));
        }
    }

    private static String requiredness(FieldMetaData data) {
        return switch (data.requirementType) {
            case TFieldRequirementType.REQUIRED -> "required";
            case TFieldRequirementType.OPTIONAL -> "optional";
            default -> "default";
        };
    }

    private static String typeText(FieldValueMetaData value) {
        if (value instanceof ListMetaData list) {
            return "list<" + typeText(list.elemMetaData) + ">";
        }
        if (value instanceof SetMetaData set) {
            return "set<" + typeText(set.elemMetaData) + ">";
        }
        if (value instanceof MapMetaData map) {
            return "map<" + typeText(map.keyMetaData) + ", " + typeText(map.valueMetaData) + ">";
        }
        if (value instanceof StructMetaData struct) {
            return struct.structClass.getSimpleName();
        }
        if (value instanceof EnumMetaData constant) {
            return constant.enumClass.getSimpleName();
        }
        return switch (value.type) {
            case TType.BOOL -> "bool";
            case TType.BYTE -> "byte";
            case TType.I16 -> "i16";
            case TType.I32 -> "i32";
            case TType.I64 -> "i64";
            case TType.DOUBLE -> "double";
            case TType.STRING -> value.isBinary() ? "binary" : "string";
            default -> "type " + value.type;
        };
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static String unquoted(String text) {
        String trimmed = text.trim();
        return trimmed.startsWith("\"") ? trimmed.substring(1, trimmed.length() - 1) : trimmed;
    }
}
