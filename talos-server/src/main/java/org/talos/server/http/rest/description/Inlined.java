// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a component whose fields are fields of the record that has it. If the component is optional, so are they all.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Inlined {
    /** Returns whether the schema refers to that of the component, which has a name. If not, it repeats the fields. */
    boolean byReference() default false;
}
