/**
 * The checks of a history: {@link org.talos.check.verdict.Verdict#of} runs each {@link org.talos.check.verdict.Check},
 * which lists the anomalies it finds. All of them are pure functions of the history.
 */
@NullMarked
package org.talos.check.verdict;

import org.jspecify.annotations.NullMarked;
