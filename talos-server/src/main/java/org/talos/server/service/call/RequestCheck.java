// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.Collection;
import java.util.Map;
import org.apache.thrift.TBase;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.TFieldRequirementType;
import org.apache.thrift.meta_data.FieldMetaData;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.wire.Wire;
import org.talos.thrift.ErrorCode;

/**
 * Refuses a request that was created in this process and that the wire's reader would have refused: it lacks a required
 * field, or has a container of too many elements.
 *
 * <p>Immutable.
 */
public final class RequestCheck {
    private RequestCheck() {}

    /**
     * Checks a request with all structs in it.
     *
     * @throws TalosException BAD_REQUEST
     */
    public static void check(TBase<?, ?> request) {
        checkFields(request);
    }

    /** Checks the fields, with the type parameters of {@link TBase} bound to each other, as its methods need them. */
    private static <T extends TBase<T, F>, F extends TFieldIdEnum> void checkFields(TBase<?, ?> any) {
        @SuppressWarnings("unchecked") // every generated struct is a TBase of itself and of its own fields
        T struct = (T) any;
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) struct.getClass();
        for (Map.Entry<? extends TFieldIdEnum, FieldMetaData> each :
                FieldMetaData.getStructMetaDataMap(type).entrySet()) {
            @SuppressWarnings("unchecked")
            F field = (F) each.getKey();
            @Nullable Object value = struct.getFieldValue(field);
            if (value == null && each.getValue().requirementType == TFieldRequirementType.REQUIRED) {
                throw refused("Required field '" + field.getFieldName() + "' was not present! Struct: " + struct);
            }
            checkValue(value);
        }
    }

    private static void checkValue(@Nullable Object value) {
        if (value instanceof TBase<?, ?> struct) {
            check(struct);
        } else if (value instanceof Map<?, ?> map) {
            requireBounded(map.size());
            map.forEach((key, of) -> {
                checkValue(key);
                checkValue(of);
            });
        } else if (value instanceof Collection<?> elements) {
            requireBounded(elements.size());
            elements.forEach(RequestCheck::checkValue);
        }
    }

    private static void requireBounded(int elements) {
        if (elements > Wire.MAX_CONTAINER_ELEMENTS) {
            throw refused("Length exceeded max allowed: " + elements);
        }
    }

    private static TalosException refused(String why) {
        return TalosException.refused(ErrorCode.BAD_REQUEST, "the request cannot be read: " + why);
    }
}
