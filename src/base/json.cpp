// Boost.JSON compiled once, here (its header-only mode); see boost/json/src.hpp.
#include <boost/json/src.hpp>
