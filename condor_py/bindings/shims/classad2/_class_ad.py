"""``ClassAd`` and the functions of ``classad2``."""

from condor_py.lang.classad import ClassAd as ClassAd
from condor_py.lang.classad import lastError as lastError
from condor_py.lang.classad import parseAds as parseAds
from condor_py.lang.classad import parseNext as parseNext
from condor_py.lang.classad import parseOne as parseOne
from condor_py.lang.classad import quote as quote
from condor_py.lang.classad import unquote as unquote
from condor_py.lang.classad import version as version

ClassAd.__module__ = __name__  # programs print the type, and pickle it by this name
