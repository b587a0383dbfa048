// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of the class use the development cluster, and may take it as a parameter of type {@link DevCluster}. All
 * classes of a JVM share one: what they make in it they name after themselves.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(DevClusterExtension.class)
public @interface WithDevCluster {
    /** The parts that must run before the first test. */
    Parts value() default Parts.ALL;
}
