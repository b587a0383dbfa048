/** Points of time as people write them: one form for the command line and for REST. */
@NullMarked
package org.talos.common.time;

import org.jspecify.annotations.NullMarked;
