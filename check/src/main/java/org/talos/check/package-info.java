/**
 * A history checker: {@link org.talos.check.CheckCommand} judges servers by what they answered to clients, and by
 * nothing else that they report.
 */
@NullMarked
package org.talos.check;

import org.jspecify.annotations.NullMarked;
