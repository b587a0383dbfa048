/**
 * What clients do to be judged by: {@link org.talos.check.workload.Workload} runs them, and reads everything at the
 * end. They tell what was certain from what was not, and nothing else.
 */
@NullMarked
package org.talos.check.workload;

import org.jspecify.annotations.NullMarked;
