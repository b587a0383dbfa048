/**
 * What a history says of the servers: {@link org.talos.bench.check.verdict.Verdict#of} asks each
 * {@link org.talos.bench.check.verdict.Check} what in it cannot have been. All of it are functions of the history.
 */
@NullMarked
package org.talos.bench.check.verdict;

import org.jspecify.annotations.NullMarked;
