/**
 * What a history says of the servers: {@link org.talos.check.verdict.Verdict#of} asks each
 * {@link org.talos.check.verdict.Check} what in it cannot have been. All of it are functions of the history.
 */
@NullMarked
package org.talos.check.verdict;

import org.jspecify.annotations.NullMarked;
