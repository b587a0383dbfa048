/**
 * The clients of a run: {@link org.talos.check.workload.Workload} runs them, and reads everything at the end. They only
 * distinguish outcomes that are known from those that are not; the checks judge.
 */
@NullMarked
package org.talos.check.workload;

import org.jspecify.annotations.NullMarked;
